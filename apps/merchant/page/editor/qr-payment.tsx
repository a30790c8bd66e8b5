import { Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useFormContext } from 'react-hook-form';
import { type OrderDetail, parseResponse, statusQuery } from '../api.ts';
import { ErrorAlert } from '../errors.tsx';
import { faultInjection } from '../fault-injection/api.ts';
import { formatTime } from '../format.ts';
import { StateBadge } from '../orders/state-badge.tsx';
import type { OrderForm } from './order-form.ts';

/** How an order takes a QR payment, and what became of its last scan. */
export function QrPayment({ order }: { readonly order: OrderDetail }) {
  const { token, webhookUrl, updates, body } = order;
  const { setValue, watch } = useFormContext<OrderForm>();
  const { data: status } = useQuery(statusQuery);
  const scan = useMutation({
    mutationFn: () => parseResponse(faultInjection.scan.$post({ json: { token } })),
  });
  const scanned = updates.find(({ source }) => source === 'webhook');
  return (
    <Stack gap="xs" mt="md">
      <Text size="sm">
        To take a QR payment, send the order with this webhook URL. When the buyer scans the code, the service
        sends the session to it, and the app sends an update with that session by itself.
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
        {watch('hooks.webhook_url') !== webhookUrl && (
          <Button
            size="xs"
            variant="default"
            onClick={() =>
              setValue('hooks.webhook_url', webhookUrl, { shouldDirty: true, shouldValidate: true })
            }
          >
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
      <Group gap={6} role="status" fz="sm">
        {scanned && (
          <>
            <StateBadge state={scanned.state} />
            Scanned at {formatTime(scanned.createdAt)}
          </>
        )}
      </Group>
    </Stack>
  );
}
