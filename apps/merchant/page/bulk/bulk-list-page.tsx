import '@mantine/dropzone/styles.css';
import { Alert, Anchor, Code, Group, Radio, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { Dropzone, type FileRejection } from '@mantine/dropzone';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { RowsChoice } from '../../shared/api.ts';
import { bulkLimits } from '../../shared/limits.ts';
import { bulksQuery, describeError, uploadBulk } from '../api.ts';
import { amounts } from '../editor/fields.ts';
import { ErrorAlert } from '../errors.tsx';
import { formatTime } from '../format.ts';
import { Pager, usePages } from '../pager.tsx';
import { ViewTitle } from '../view-title.tsx';
import { BulkStateBadge } from './bulk-progress.tsx';

const example = `token,order_id,cart.items[0].sku,cart.items[0].quantity,cart.items[0].unit_price
<order token>,A-1001,MUG-BLUE,2,12900`;

/** Uploads a file of updates, and lists the earlier ones. */
export function BulkListPage() {
  const pages = usePages();
  const { data: { bulks, next } = {}, error } = useQuery(bulksQuery(pages.start));
  const [decimals, setDecimals] = useState('0');
  const [joined, setJoined] = useState<RowsChoice>('refuse');
  const [, navigate] = useLocation();
  const client = useQueryClient();
  const upload = useMutation({
    mutationFn: uploadBulk,
    onSuccess: ({ id }) => {
      void client.invalidateQueries();
      navigate(`/bulk/${id}`);
    },
  });
  const [refused, setRefused] = useState<string>();
  const failure = refused ? { message: refused } : upload.error && describeError(upload.error);
  const { bytes, rows } = bulkLimits;
  return (
    <Stack>
      <ViewTitle>Bulk files</ViewTitle>
      <Radio.Group label="Amounts in a CSV file" value={decimals} onChange={setDecimals}>
        <Group gap="md" mt={4}>
          <Radio value="0" label="As they are sent: 25800" />
          <Radio value={String(amounts.decimals)} label={`With ${amounts.decimals} decimals: 258.00`} />
        </Group>
      </Radio.Group>
      <Radio.Group
        label="Rows of one order, next to each other, with different items"
        value={joined}
        onChange={(value) => setJoined(value as RowsChoice)}
      >
        <Group gap="md" mt={4}>
          <Radio value="refuse" label="Refuse the file" />
          <Radio value="group" label="One update with all items" />
          <Radio value="each" label="One update per row: the last replaces the items" />
        </Group>
      </Radio.Group>
      <Dropzone
        maxSize={bytes}
        maxFiles={1}
        multiple={false}
        loading={upload.isPending}
        onDrop={([file]: File[]) => {
          setRefused(undefined);
          if (file) upload.mutate({ file, decimals, rows: joined });
        }}
        onReject={([file]: FileRejection[]) => setRefused(file?.errors[0]?.message)}
        inputProps={{ 'aria-label': 'Bulk file' }}
        aria-label="Choose a bulk file"
        p="xl"
      >
        <Text ta="center" fw={600}>
          Drop a CSV or NDJSON file here, or click to choose one
        </Text>
        <Text ta="center" size="sm" c="dimmed">
          At most {rows.toLocaleString('en')} rows and {bytes / 1_048_576} MiB. Nothing is sent before you
          have seen the rows.
        </Text>
      </Dropzone>
      {failure && (
        <Alert color="red" role="alert" title="The file was not read">
          {describePlace(failure)}
          {failure.message}
        </Alert>
      )}
      <ErrorAlert error={error} />
      {!bulks && !error && <Skeleton height={100} aria-label="Loading" />}
      {bulks && bulks.length > 0 && (
        <Table.ScrollContainer minWidth={0}>
          <Table verticalSpacing="sm">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>File</Table.Th>
                <Table.Th>Rows</Table.Th>
                <Table.Th>State</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {bulks.map((bulk) => (
                <Table.Tr key={bulk.id}>
                  <Table.Td>
                    <Anchor
                      component={Link}
                      href={`/bulk/${bulk.id}`}
                      fw={600}
                      style={{ overflowWrap: 'anywhere' }}
                    >
                      {bulk.name}
                    </Anchor>
                    <Text size="xs" c="dimmed">
                      {formatTime(bulk.createdAt)}
                    </Text>
                  </Table.Td>
                  <Table.Td>
                    {bulk.rows.toLocaleString('en')}
                    {bulk.invalid > 0 && (
                      <Text size="xs" c="error">
                        {bulk.invalid.toLocaleString('en')} invalid
                      </Text>
                    )}
                  </Table.Td>
                  <Table.Td>
                    <BulkStateBadge bulk={bulk} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {bulks && <Pager pages={pages} next={next} />}
      <Title order={2} size="h3">
        How a file is written
      </Title>
      <Text size="sm">
        CSV: the first row names the columns, <Code>token</Code> and the paths of fields. Blank cells are left
        out. In NDJSON, amounts are always the integers that are sent: 12900, not 129.00.
      </Text>
      <Code block>{example}</Code>
      <Text size="sm">NDJSON: one object a line, with the token and the update.</Text>
      <Code block>
        {'{"token": "<order token>", "update": {"cart": {"items": [{"sku": "MUG-BLUE", "quantity": 2}]}}}'}
      </Code>
    </Stack>
  );
}

function describePlace({ row, column }: { readonly row?: number; readonly column?: string }): string {
  if (row === undefined) return '';
  return column ? `Row ${row}, column ${column}: ` : `Row ${row}: `;
}
