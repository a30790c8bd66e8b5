import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Backlog } from '../backlog.ts';
import type { SettledUpdate } from '../settled-update.ts';

/** The metrics of one process that works on an outbox. */
export interface Metrics {
  readonly contentType: string;
  /** Counts what became of an update. */
  note(settled: SettledUpdate): void;
  /** All metrics as Prometheus reads them; also while the database is away. */
  read(): Promise<string>;
}

/** Codes by what becomes of updates: a label must not take whatever a client may say. */
const codesOf: Readonly<Record<SettledUpdate['state'], readonly string[]>> = {
  applied: ['none', 'invalid_response'],
  rejected: ['http_error', 'validation_error'],
  parked: [
    'http_error',
    'invalid_response',
    'connection_error',
    'timeout',
    'aborted',
    'left_behind',
    'client_failed',
  ],
  queued: ['http_error', 'connection_error', 'timeout', 'aborted', 'left_behind', 'none'],
  discarded: ['left_behind'],
};
const codes = new Set(Object.values(codesOf).flat());

/** From the time of one answer to that of a long outage. */
const ageBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 3_600, 14_400];

/** Makes the metrics; `look` is called at each scrape. */
export function createMetrics(look: () => Promise<Backlog>, now: () => number = Date.now): Metrics {
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register });
  const updates = new Gauge({
    name: 'orders_outbox_updates',
    help: 'Updates that are not final, by state. Alert when parked or rejected stays above 0: each waits for a decision.',
    labelNames: ['state'],
    registers,
  });
  const oldest = new Gauge({
    name: 'orders_outbox_oldest_queued_age_seconds',
    help: 'How long ago the oldest queued update was accepted; 0 when none is queued. Alert when it exceeds what orders can wait.',
    registers,
  });
  const lanes = new Gauge({
    name: 'orders_outbox_lanes',
    help: 'Orders with something to do, by state. Alert when held stays above 0: these orders stand still for a decision.',
    labelNames: ['state'],
    registers,
  });
  const pause = new Gauge({
    name: 'orders_outbox_pause_seconds',
    help: 'How long nothing is sent yet, since the service asked for it. Alert when it is above 0 most of the time: lower the rate.',
    registers,
  });
  const database = new Gauge({
    name: 'orders_outbox_database_up',
    help: 'Whether the database answered this scrape: 1 or 0. Alert when it is 0 for a minute: the gauges of updates are absent then.',
    registers,
  });
  const results = new Counter({
    name: 'orders_outbox_results_total',
    help: 'What became of updates in this process, by state (queued: sent again later) and code. Alert on a rising rate of parked or rejected.',
    labelNames: ['state', 'code'],
    registers,
  });
  const ages = new Histogram({
    name: 'orders_outbox_time_to_apply_seconds',
    help: 'Time from the acceptance of updates until they were applied. Alert on a high quantile.',
    buckets: ageBuckets,
    registers,
  });
  // A series that begins at 1 shows no increase.
  for (const [state, known] of Object.entries(codesOf))
    for (const code of known) results.inc({ state, code }, 0);

  function show({
    queued,
    sending,
    parked,
    rejected,
    oldestQueuedAt,
    lanes: lane,
    pausedUntil,
  }: Backlog): void {
    for (const [state, count] of Object.entries({ queued, sending, parked, rejected }))
      updates.set({ state }, count);
    for (const [state, count] of Object.entries(lane)) lanes.set({ state }, count);
    oldest.set(oldestQueuedAt ? Math.max(0, now() - oldestQueuedAt.getTime()) / 1_000 : 0);
    pause.set(pausedUntil ? Math.max(0, pausedUntil.getTime() - now()) / 1_000 : 0);
    database.set(1);
  }

  /** What is not known is left out: an old figure would look like a true one. */
  function showNothing(): void {
    updates.reset();
    lanes.reset();
    oldest.remove();
    pause.remove();
    database.set(0);
  }

  return {
    contentType: register.contentType,
    note({ state, code = 'none', ageMs }) {
      results.inc({ state, code: codes.has(code) ? code : 'other' });
      if (state === 'applied') ages.observe(ageMs / 1_000);
    },
    async read() {
      await look().then(show, showNothing);
      return register.metrics();
    },
  };
}
