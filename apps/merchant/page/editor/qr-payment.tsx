import { Alert, Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useFormContext } from 'react-hook-form';
import { type OrderDetail, parseResponse, statusQuery } from '../api.ts';
import { ErrorAlert } from '../errors.tsx';
import { faultInjection } from '../fault-injection/api.ts';
import { formatTime } from '../format.ts';
import type { OrderForm } from './order-form.ts';

/** Receives the session of a QR payment by webhook, and puts it into the order. */
export function QrPayment({ order }: { readonly order: OrderDetail }) {
  const { token, webhookUrl, qrSession, body } = order;
  const { setValue, watch } = useFormContext<OrderForm>();
  const { data: status } = useQuery(statusQuery);
  const scan = useMutation({
    mutationFn: () => parseResponse(faultInjection.scan.$post({ json: { token } })),
  });
  const [webhook, session] = watch(['hooks.webhook_url', 'qr_session_id']);
  const put = (name: 'hooks.webhook_url' | 'qr_session_id', value: string) =>
    setValue(name, value, { shouldDirty: true, shouldValidate: true });
  return (
    <Stack gap="xs" mt="md">
      <Text size="sm">
        To take a QR payment, send the order with this webhook URL. When the buyer scans the code, the service
        sends the session to it; then send that with the order.
      </Text>
      <Code block>{webhookUrl}</Code>
      <Group gap="xs">
        <CopyButton value={webhookUrl}>
          {({ copied, copy }) => (
            <Button size="xs" variant="default" onClick={copy}>
              {copied ? 'Copied' : 'Copy URL'}
            </Button>
          )}
        </CopyButton>
        {webhook !== webhookUrl && (
          <Button size="xs" variant="default" onClick={() => put('hooks.webhook_url', webhookUrl)}>
            Use it for this order
          </Button>
        )}
        {status?.faultInjection && (
          <Button
            size="xs"
            variant="default"
            loading={scan.isPending}
            disabled={body.hooks?.webhook_url !== webhookUrl}
            onClick={() => scan.mutate()}
          >
            Simulate a scan
          </Button>
        )}
      </Group>
      <ErrorAlert error={scan.error} />
      <div role="status">
        {qrSession && (
          <Alert color="green" title={`Scanned at ${formatTime(qrSession.at)}`}>
            <Code block>{qrSession.id}</Code>
            {session === qrSession.id ? (
              'It is in the form.'
            ) : (
              <Button size="xs" mt="xs" onClick={() => put('qr_session_id', qrSession.id)}>
                Use this session
              </Button>
            )}
          </Alert>
        )}
      </div>
    </Stack>
  );
}
