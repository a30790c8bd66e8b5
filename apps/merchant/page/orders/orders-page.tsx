import { Anchor, EmptyState, Group, Skeleton, Stack, Table, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { type OrderSummary, ordersQuery } from '../api.ts';
import { amounts } from '../editor/fields.ts';
import { ErrorAlert } from '../errors.tsx';
import { formatTime, plural } from '../format.ts';
import { decideText } from '../held.tsx';
import { Pager, usePages } from '../pager.tsx';
import { ViewTitle } from '../view-title.tsx';
import { StateBadge } from './state-badge.tsx';

/** How long typing pauses before the list is searched, in milliseconds. */
const pauseMs = 200;

/** The orders that this app knows. */
export function OrdersPage() {
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), pauseMs);
  const pages = usePages();
  const { data, error } = useQuery(ordersQuery(search ? { search } : pages.start));
  return (
    <Stack>
      <ViewTitle>Orders</ViewTitle>
      <TextInput
        label="Find an order"
        description="How its number begins or ends, or how its token begins"
        leftSection={<IconSearch size={16} aria-hidden />}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          pages.setStarts([{}]);
        }}
        maw={420}
      />
      <ErrorAlert error={error} />
      {!data && !error && <Skeleton height={200} />}
      {data && data.orders.length > 0 && <OrdersTable orders={data.orders} />}
      {data?.orders.length === 0 && (
        <EmptyState
          title={search ? 'No order matches' : 'No orders yet'}
          description={search ? undefined : 'Start the app with --order and the token of an order.'}
        />
      )}
      {data?.isCut && (
        <Text size="sm">The first {data.orders.length} are listed. Type more to find the others.</Text>
      )}
      {data && !search && <Pager pages={pages} next={data.next} />}
    </Stack>
  );
}

const amountCell = { visibleFrom: 'sm', ta: 'end', pe: 'xl' } as const;
const none = { c: 'dimmed', size: 'sm', children: 'None' };

/** In major units, with the currency where it is known. */
function formatTotal(total: number, currency: string | null): string {
  const { decimals } = amounts;
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return `${(total / 10 ** decimals).toLocaleString('en', digits)} ${currency ?? ''}`;
}

function OrdersTable({ orders }: { readonly orders: readonly OrderSummary[] }) {
  return (
    <Table.ScrollContainer minWidth={0}>
      <Table highlightOnHover verticalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Order</Table.Th>
            <Table.Th visibleFrom="sm">Cart</Table.Th>
            <Table.Th {...amountCell}>Total</Table.Th>
            <Table.Th>Last update</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {orders.map(({ token, orderId, currency, lines, total, lastUpdate, needsReview }) => (
            <Table.Tr key={token}>
              <Table.Td>
                <Group gap="xs">
                  <Anchor component={Link} href={`/orders/${encodeURIComponent(token)}`} fw={600}>
                    {orderId ?? 'No order number'}
                  </Anchor>
                  {needsReview && !['needs_review', 'waiting'].includes(lastUpdate?.state ?? '') && (
                    <StateBadge state="needs_review" />
                  )}
                </Group>
                <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                  {token}
                </Text>
                {total !== null && (
                  <Text size="sm" hiddenFrom="sm">
                    {formatTotal(total, currency)}
                  </Text>
                )}
              </Table.Td>
              <Table.Td visibleFrom="sm">{plural(lines, 'line')}</Table.Td>
              <Table.Td {...amountCell}>
                {total === null ? <Text {...none} /> : formatTotal(total, currency)}
              </Table.Td>
              <Table.Td>
                {lastUpdate ? (
                  <>
                    <StateBadge state={lastUpdate.state} />
                    <Text size="xs" c="dimmed">
                      {formatTime(lastUpdate.at)}
                    </Text>
                    {lastUpdate.state === 'waiting' && (
                      <Anchor component={Link} href={`/orders/${encodeURIComponent(token)}`} size="xs">
                        {decideText}
                      </Anchor>
                    )}
                  </>
                ) : (
                  <Text {...none} />
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
