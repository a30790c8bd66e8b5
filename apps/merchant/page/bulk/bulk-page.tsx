import { Alert, Anchor, Button, Group, NativeSelect, Skeleton, Stack, Table, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { memo, useState } from 'react';
import { Link } from 'wouter';
import type { BulkRowState } from '../../shared/api.ts';
import { api, type BulkRowView, bulkQuery, parseResponse, withoutTimeout } from '../api.ts';
import { ErrorAlert, MissingView } from '../errors.tsx';
import { describeIssue, formatTime, plural } from '../format.ts';
import { decideText, heldTexts } from '../held.tsx';
import { outcomeUnknown, StateBadge, states } from '../orders/state-badge.tsx';
import { Pager, usePages } from '../pager.tsx';
import { ViewTitle } from '../view-title.tsx';
import { BulkProgress, BulkStateBadge } from './bulk-progress.tsx';

/** One bulk file: its rows before they are sent, its progress, and its result. */
export function BulkPage({ id }: { readonly id: string }) {
  const [state, setState] = useState<BulkRowState | ''>('');
  const pages = usePages();
  const { data, error } = useQuery(bulkQuery(id, { ...(state && { state }), ...pages.start }));
  const client = useQueryClient();
  const act = useMutation({
    mutationFn: (action: 'send' | 'discard') =>
      parseResponse(api.bulks[':id'][action].$post({ param: { id } }, { init: withoutTimeout })),
    onSettled: () => client.invalidateQueries(),
  });
  if (error && !data)
    return <MissingView what="Bulk file" error={error} href="/bulk" link="All bulk files" />;
  if (!data) return <Skeleton height={400} aria-label="Loading" />;
  const { bulk, rows, next } = data;
  const { counts } = bulk;
  const queued = counts.queued + counts.waiting + counts.locked;
  return (
    <Stack>
      <ErrorAlert error={error} />
      <div>
        <Group gap="sm">
          <ViewTitle>{bulk.name}</ViewTitle>
          <BulkStateBadge bulk={bulk} />
        </Group>
        <Text size="sm" c="dimmed">
          {plural(bulk.rows, 'row')}, {formatTime(bulk.createdAt)}
        </Text>
      </div>
      {bulk.state === 'ready' && bulk.invalid > 0 && (
        <Alert color="orange" title={`${plural(bulk.invalid, 'row')} cannot be sent`}>
          Send the valid ones, or fix the file and upload it again.
        </Alert>
      )}
      <BulkProgress bulk={bulk} />
      <ErrorAlert error={act.error} />
      <Group gap="sm">
        {bulk.state === 'ready' && counts.ready > 0 && (
          <Button loading={act.isPending} onClick={() => act.mutate('send')}>
            Send {plural(counts.ready, 'update')}
          </Button>
        )}
        {(bulk.state === 'ready' || queued > 0) && (
          <Button variant="default" loading={act.isPending} onClick={() => act.mutate('discard')}>
            {bulk.state === 'ready' ? 'Discard' : `Discard ${plural(queued, 'queued update')}`}
          </Button>
        )}
        {bulk.state !== 'ready' && (
          <Button component="a" variant="default" href={`/api/bulks/${id}/result.csv`} download>
            Result file
          </Button>
        )}
        {counts.needs_review > 0 && (
          <Button component={Link} variant="default" href="/review">
            Review {plural(counts.needs_review, 'unknown outcome')}
          </Button>
        )}
      </Group>
      <NativeSelect
        label="Rows"
        maw={240}
        value={state}
        onChange={(event) => {
          setState(event.currentTarget.value as BulkRowState | '');
          pages.setStarts([{}]);
        }}
        data={[
          { value: '', label: `All (${bulk.rows.toLocaleString('en')})` },
          ...Object.entries(counts)
            .filter(([, count]) => count > 0)
            .map(([value, count]) => ({
              value,
              label: `${states[value as BulkRowState].label} (${count.toLocaleString('en')})`,
            })),
        ]}
      />
      <RowsTable rows={rows} />
      <Pager pages={pages} next={next} />
    </Stack>
  );
}

function RowsTable({ rows }: { readonly rows: readonly BulkRowView[] }) {
  return (
    <Table.ScrollContainer minWidth={0}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={60}>Row</Table.Th>
            <Table.Th w="45%">Order</Table.Th>
            <Table.Th>State</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Row key={row.row} row={row} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** Drawn again only when it changed itself, which of 100 rows a few do at a time. */
const Row = memo(function Row({ row: view }: { readonly row: BulkRowView }) {
  const { row, token, state, issues, message } = view;
  return (
    <Table.Tr>
      <Table.Td>{row}</Table.Td>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>
        {token ? (
          <Anchor component={Link} href={`/orders/${encodeURIComponent(token)}`} size="sm">
            {token}
          </Anchor>
        ) : (
          'None'
        )}
      </Table.Td>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>
        <StateBadge state={state} />
        {issues.map((issue) => (
          <Text key={issue.path + issue.message} size="sm">
            {issue.path && `${issue.path}: `}
            {describeIssue(issue)}
          </Text>
        ))}
        {state === 'needs_review' && <Text size="sm">{outcomeUnknown}.</Text>}
        {state === 'waiting' && token && (
          <Anchor component={Link} href={`/orders/${encodeURIComponent(token)}`} size="sm" display="block">
            {decideText}
          </Anchor>
        )}
        {state === 'locked' && <Text size="sm">{heldTexts.locked_by_caller}.</Text>}
        {state === 'rejected' && (
          <Text size="sm" lineClamp={3}>
            {message}
          </Text>
        )}
      </Table.Td>
    </Table.Tr>
  );
});
