import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { Alert, EmptyState, Group, Paper, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { AttemptView } from '../../shared/api.ts';
import { describeError } from '../api.ts';
import { plural } from '../format.ts';
import { attemptsQuery } from './api.ts';

const slotMs = 10_000;
const slotCount = 30;

const series = [
  { name: 'applied', label: 'Applied', color: 'green.7' },
  { name: 'rejected', label: 'Rejected', color: 'red.7' },
  { name: 'not_sent', label: 'Not sent', color: 'gray.6' },
  { name: 'unknown', label: 'Unknown', color: 'orange.6' },
] as const;

/** How the attempts of the last five minutes ended. */
export function AttemptsChart() {
  const { data: attempts = [], error } = useQuery(attemptsQuery);
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), slotMs / 2);
    return () => clearInterval(timer);
  }, []);
  const slots = countBySlot(attempts, now);
  const totals = series.map(({ name, label }) => ({
    label,
    count: slots.reduce((sum, slot) => sum + slot[name], 0),
  }));
  const total = totals.reduce((sum, { count }) => sum + count, 0);
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="attempts">
      <Title order={2} size="h3" id="attempts">
        Attempts of the last five minutes
      </Title>
      {error && <Alert color="red">{describeError(error).message}</Alert>}
      {total === 0 ? (
        <EmptyState title="No attempts yet" description="Send a burst, or an update from an order." />
      ) : (
        <>
          <Group gap="md" my="xs">
            {totals.map(({ label, count }) => (
              <Text key={label} size="sm">
                {label}: {count.toLocaleString('en')}
              </Text>
            ))}
          </Group>
          <div
            role="img"
            aria-label={`${plural(total, 'attempt')} in slots of ${slotMs / 1000} s, by outcome`}
          >
            <BarChart
              h={240}
              data={slots}
              dataKey="time"
              type="stacked"
              series={[...series]}
              tickLine="y"
              yAxisProps={{ allowDecimals: false }}
              barProps={{ isAnimationActive: false }}
              barChartProps={{ accessibilityLayer: false }}
              withLegend
            />
          </div>
        </>
      )}
    </Paper>
  );
}

type Slot = Record<(typeof series)[number]['name'], number> & { time: string };

function countBySlot(attempts: readonly AttemptView[], now: number): Slot[] {
  const last = Math.floor(now / slotMs);
  const slots = Array.from({ length: slotCount }, (_, index): Slot => {
    const time = new Date((last - slotCount + 1 + index) * slotMs).toLocaleTimeString();
    return { time, applied: 0, rejected: 0, not_sent: 0, unknown: 0 };
  });
  for (const { endedAt, outcome } of attempts) {
    if (!endedAt || !outcome) continue;
    // An attempt may end after `now` was read.
    const slot = slots[Math.min(Math.floor(Date.parse(endedAt) / slotMs) - last, 0) + slotCount - 1];
    if (slot) slot[outcome]++;
  }
  return slots;
}
