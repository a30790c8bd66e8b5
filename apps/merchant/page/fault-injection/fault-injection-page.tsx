import {
  Alert,
  Button,
  Group,
  NumberInput,
  Paper,
  Radio,
  Skeleton,
  Slider,
  Stack,
  Text,
  Title,
} from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { FaultSetting } from '../../shared/api.ts';
import { parseResponse, statusQuery, withoutTimeout } from '../api.ts';
import { ErrorAlert } from '../errors.tsx';
import { plural } from '../format.ts';
import { ViewTitle } from '../view-title.tsx';
import { faultInjection, scenarioLabels, settingQuery } from './api.ts';
import { OutcomesChart } from './outcomes-chart.tsx';

const descriptions: Readonly<Record<FaultSetting['scenario'], string>> = {
  healthy: 'Every update is applied.',
  slow: 'Applied, but the response comes after 2 s.',
  rateLimited: 'Not applied. Sent again when Retry-After is over.',
  unavailable: 'Not applied, but we cannot know: needs review.',
  lostResponse: 'Applied, then the connection breaks: needs review.',
  down: 'Connections are refused. Sent again until one is accepted.',
};
const scenarios = Object.keys(descriptions) as readonly FaultSetting['scenario'][];

/** Lets the mock order service fail, to see how the app recovers. */
export function FaultInjectionPage() {
  const { data: status } = useQuery(statusQuery);
  const { data: setting, error } = useQuery(settingQuery);
  if (status && status.faultInjection === undefined) {
    return (
      <Stack>
        <ViewTitle>Fault injection</ViewTitle>
        <Alert color="blue">
          Only the mock order service can be made to fail. This app uses another one.
        </Alert>
      </Stack>
    );
  }
  return (
    <Stack>
      <ViewTitle>Fault injection</ViewTitle>
      <ErrorAlert error={error} />
      {setting && <ScenarioForm setting={setting} />}
      {!setting && !error && <Skeleton height={300} aria-label="Loading" />}
      <BurstForm />
      <OutcomesChart />
    </Stack>
  );
}

function ScenarioForm({ setting }: { readonly setting: FaultSetting }) {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (json: FaultSetting) => parseResponse(faultInjection.index.$put({ json })),
    onMutate: (json) => void client.setQueryData(settingQuery.queryKey, json),
    onSettled: () => client.invalidateQueries({ queryKey: settingQuery.queryKey }),
  });
  const { scenario, percent } = setting;
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="scenario">
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h3" id="scenario">
          Scenario
        </Title>
        {scenario !== 'healthy' && (
          <Button onClick={() => change.mutate({ scenario: 'healthy', percent })}>Back to normal</Button>
        )}
      </Group>
      <ErrorAlert error={change.error} />
      <Radio.Group
        aria-labelledby="scenario"
        value={scenario}
        onChange={(value) => change.mutate({ scenario: value as FaultSetting['scenario'], percent })}
      >
        <Stack gap="xs">
          {scenarios.map((value) => (
            <Radio
              key={value}
              value={value}
              label={scenarioLabels[value]}
              description={descriptions[value]}
            />
          ))}
        </Stack>
      </Radio.Group>
      {scenario !== 'healthy' && (
        <>
          <Text size="sm" mt="md" id="share">
            Share of requests: {percent}%
          </Text>
          <Slider
            key={percent}
            thumbLabel="Share of requests in percent"
            min={1}
            max={100}
            defaultValue={percent}
            label={(value) => `${value}%`}
            onChangeEnd={(value) => change.mutate({ scenario, percent: value })}
          />
        </>
      )}
    </Paper>
  );
}

function BurstForm() {
  const [orders, setOrders] = useState<number | string>(4);
  const [updates, setUpdates] = useState<number | string>(20);
  const burst = useMutation({
    mutationFn: () =>
      parseResponse(
        faultInjection.burst.$post(
          { json: { orders: Number(orders), updates: Number(updates) } },
          { init: withoutTimeout },
        ),
      ),
  });
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="burst">
      <Title order={2} size="h3" id="burst">
        Burst
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        Queues updates at once, spread over the first orders of the list.
      </Text>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          burst.mutate();
        }}
      >
        <Group align="end" gap="sm">
          <NumberInput label="Orders" w={120} min={1} max={50} value={orders} onChange={setOrders} />
          <NumberInput label="Updates" w={120} min={1} max={500} value={updates} onChange={setUpdates} />
          <Button type="submit" loading={burst.isPending}>
            Send the burst
          </Button>
          <Text size="sm" role="status">
            {burst.data && `${plural(burst.data.ids.length, 'update')} queued`}
          </Text>
        </Group>
        <ErrorAlert error={burst.error} />
      </form>
    </Paper>
  );
}
