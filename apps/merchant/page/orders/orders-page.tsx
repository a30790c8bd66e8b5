import { Anchor, EmptyState, Group, Skeleton, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { type OrderSummary, ordersQuery } from '../api.ts';
import { ErrorAlert } from '../errors.tsx';
import { formatTime, plural } from '../format.ts';
import { heldTexts } from '../held.tsx';
import { Pager, usePages } from '../pager.tsx';
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
      <Title order={1} size="h2">
        Orders
      </Title>
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
      {data?.orders.length === 0 && <EmptyState title={search ? 'No order matches' : 'No orders yet'} />}
      {data?.isCut && (
        <Text size="sm">The first {data.orders.length} are listed. Type more to find the others.</Text>
      )}
      {data && !search && <Pager pages={pages} next={data.next} />}
    </Stack>
  );
}

function OrdersTable({ orders }: { readonly orders: readonly OrderSummary[] }) {
  return (
    <Table.ScrollContainer minWidth={0}>
      <Table highlightOnHover verticalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Order</Table.Th>
            <Table.Th visibleFrom="sm">Cart</Table.Th>
            <Table.Th>Last update</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {orders.map(({ token, orderId, currency, lines, lastUpdate, needsReview }) => (
            <Table.Tr key={token}>
              <Table.Td>
                <Group gap="xs">
                  <Anchor component={Link} href={`/orders/${encodeURIComponent(token)}`} fw={600}>
                    {orderId ?? 'No order number'}
                  </Anchor>
                  {needsReview && lastUpdate?.state !== 'needs_review' && <StateBadge state="needs_review" />}
                </Group>
                <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                  {token}
                </Text>
              </Table.Td>
              <Table.Td visibleFrom="sm">
                {plural(lines, 'line')}
                {currency && `, ${currency}`}
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
                        {heldTexts.behind_review}
                      </Anchor>
                    )}
                  </>
                ) : (
                  <Text c="dimmed" size="sm">
                    None
                  </Text>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
