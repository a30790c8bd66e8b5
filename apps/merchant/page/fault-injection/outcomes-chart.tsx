import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { ColorSwatch, EmptyState, Group, Paper, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ErrorAlert } from '../errors.tsx';
import { plural } from '../format.ts';
import { outcomesQuery } from './api.ts';

const series = [
  { name: 'applied', label: 'Applied', color: 'green.7' },
  { name: 'rejected', label: 'Rejected', color: 'red.7' },
  { name: 'needs_review', label: 'Needs review', color: 'orange.6' },
] as const;

/** What became of the updates of the last five minutes. */
export function OutcomesChart() {
  const { data: { slots } = { slots: [] }, error } = useQuery(outcomesQuery);
  const totals = series.map(({ name, ...shown }) => ({
    ...shown,
    count: slots.reduce((sum, slot) => sum + slot[name], 0),
  }));
  const total = totals.reduce((sum, { count }) => sum + count, 0);
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="outcomes">
      <Title order={2} size="h3" id="outcomes">
        Outcomes of the last five minutes
      </Title>
      <ErrorAlert error={error} />
      {total === 0 ? (
        <EmptyState title="No outcomes yet" description="Send a burst, or an update from an order." />
      ) : (
        <>
          <Group gap="md" my="xs">
            {totals.map(({ label, color, count }) => (
              <Group key={label} gap={6}>
                <ColorSwatch
                  color={`var(--mantine-color-${color.replace('.', '-')})`}
                  size={12}
                  aria-hidden
                />
                <Text size="sm">
                  {label}: {count.toLocaleString('en')}
                </Text>
              </Group>
            ))}
          </Group>
          <div role="img" aria-label={`${plural(total, 'update')} in slots of 10 s, by outcome`}>
            <BarChart
              h={240}
              data={slots.map(({ at, ...counts }) => ({
                ...counts,
                time: new Date(at).toLocaleTimeString(),
              }))}
              dataKey="time"
              type="stacked"
              series={[...series]}
              tickLine="y"
              xAxisProps={{ interval: 'equidistantPreserveStart' }}
              yAxisProps={{ allowDecimals: false }}
              barProps={{ isAnimationActive: false }}
              barChartProps={{ accessibilityLayer: false, margin: { top: 8 } }}
            />
          </div>
        </>
      )}
    </Paper>
  );
}
