import {
  Alert,
  Anchor,
  Badge,
  EmptyState,
  Group,
  Skeleton,
  Stack,
  Table,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { OrderSummary } from '../../shared/api.ts';
import { describeError, ordersQuery } from '../api.ts';
import { formatTime, plural } from '../format.ts';
import { StateBadge } from './state-badge.tsx';

/** All orders that this app knows. */
export function OrdersPage() {
  const { data: orders, error } = useQuery(ordersQuery);
  const [filter, setFilter] = useState('');
  const found = orders?.filter(({ orderId, token }) =>
    `${orderId} ${token}`.toLowerCase().includes(filter.trim().toLowerCase()),
  );
  return (
    <Stack>
      <Title order={1} size="h2">
        Orders
      </Title>
      <TextInput
        label="Find an order"
        placeholder="Order number or token"
        leftSection={<IconSearch size={16} aria-hidden />}
        value={filter}
        onChange={(event) => setFilter(event.currentTarget.value)}
        maw={360}
      />
      {error && <Alert color="red">{describeError(error).message}</Alert>}
      {!orders && !error && <Skeleton height={200} />}
      {found && found.length > 0 && <OrdersTable orders={found} />}
      {found?.length === 0 && <EmptyState title={filter ? 'No order matches' : 'No orders yet'} />}
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
          {orders.map(({ token, orderId, currency, lines, hasDraft, lastUpdate, needsReview }) => (
            <Table.Tr key={token}>
              <Table.Td>
                <Group gap="xs">
                  <Anchor component={Link} href={`/orders/${encodeURIComponent(token)}`} fw={600}>
                    {orderId ?? 'No order number'}
                  </Anchor>
                  {hasDraft && <Badge variant="default">Draft</Badge>}
                  {needsReview > 0 && lastUpdate?.state !== 'needs_review' && (
                    <StateBadge state="needs_review" />
                  )}
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
                      {formatTime(lastUpdate.settledAt ?? lastUpdate.createdAt)}
                    </Text>
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
