import {
  Alert,
  Button,
  Code,
  CopyButton,
  Group,
  List,
  Loader,
  Modal,
  Stack,
  Text,
  Title,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useFormContext } from 'react-hook-form';
import type { ShopUpdate } from '../../shared/order-update.ts';
import { api, describeError, parseResponse } from '../api.ts';
import { describeIssue } from '../format.ts';
import { labelOf } from './fields.ts';
import { leftOut, type OrderForm } from './order-form.ts';

export interface PreviewModalProps {
  readonly token: string;
  readonly update: ShopUpdate | undefined;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** The exact request that would be sent, without the key. */
export function PreviewModal({ token, update, isOpen, onClose }: PreviewModalProps) {
  const { getValues } = useFormContext<OrderForm>();
  const { data: preview, error } = useQuery({
    queryKey: ['preview', token, update],
    queryFn: () => parseResponse(api.orders[':token'].preview.$post({ param: { token }, json: { update } })),
    enabled: isOpen,
    gcTime: 0,
    retry: false,
  });
  const blank = isOpen ? leftOut(getValues()) : [];
  return (
    <Modal opened={isOpen} onClose={onClose} title="What will be sent" size="lg">
      {!preview && !error && <Loader aria-label="Loading" />}
      {error && (
        <Alert color="red" title={describeError(error).message}>
          <List size="sm">
            {describeError(error).issues?.map((issue) => (
              <List.Item key={issue.path + issue.message}>
                {issue.path}: {describeIssue(issue)}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
      {preview && (
        <Stack>
          <Code block tabIndex={0} role="region" aria-label="Request">
            {`${preview.method} ${preview.url}\n${preview.headers.map((header) => header.join(': ')).join('\n')}\n\n${format(preview.body)}`}
          </Code>
          {blank.length > 0 && (
            <Text size="sm">
              Left out because they are blank: {blank.map(labelOf).join('; ')}. Whether the service keeps
              their values is undocumented.
            </Text>
          )}
          <Group justify="space-between">
            <Title order={3} size="h5">
              As a curl command
            </Title>
            <CopyButton value={preview.curl}>
              {({ copied, copy }) => (
                <Button size="xs" variant="default" onClick={copy}>
                  {copied ? 'Copied' : 'Copy'}
                </Button>
              )}
            </CopyButton>
          </Group>
          <Code block tabIndex={0} role="region" aria-label="curl command">
            {preview.curl}
          </Code>
        </Stack>
      )}
    </Modal>
  );
}

const format = (body: string): string => JSON.stringify(JSON.parse(body), null, 2);
