import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createOrdersClient } from '@orders/client';
import { createOutbox, type Outbox, type OutboxOptions, type UpdateStatus } from '@orders/outbox';
import { type Fault, type MockOrderService, startMockOrderService } from '@orders/testing';
import { PgBoss } from 'pg-boss';
import { expect } from 'vitest';
import { inFull } from '../../../.ci/in-full.ts';
import { type PausableWorker, startPausableWorker } from './pause-thread.ts';
import type { Pause } from './pause-worker.ts';
import { onPglite, onPostgres, type Scene, step, stepsApplied, until } from './scene.ts';
import { waitForWaking } from './wait-for-waking.ts';
import { watchStore } from './watch-store.ts';

/** What happens to two updates of an order while a worker is at them. */
interface Story {
  /** What the service does with the first. */
  readonly fault?: Fault;
  readonly rate?: OutboxOptions['rate'];
  /** Whether no notification reaches the worker. */
  readonly isDeaf?: boolean;
  /** Whether another worker was lost while it was sending the first. */
  readonly isAbandoned?: boolean;
  /** Whether the worker starts once they wait. */
  readonly isEarly?: boolean;
}

const stories: Readonly<Record<string, Story>> = {
  'an applied update': {},
  'a rejected update': { fault: { type: 'status', status: 409 }, isDeaf: true },
  'a lost response': { fault: { type: 'reset_after_applying' }, rate: { perSecond: 100, burst: 2 } },
  'an update of a lost worker': { isAbandoned: true },
  'a start': { isEarly: true },
};

/** By how much the wall clock of a paused worker is set, and how far its monotonic clock goes on meanwhile, in milliseconds. */
const clocks = {
  right: { setMs: 0, monotonicMs: 15_000 },
  'set back': { setMs: -3_600_000, monotonicMs: 15_000 },
  'set forward': { setMs: 3_600_000, monotonicMs: 15_000 },
  // As while a machine sleeps.
  stopped: { setMs: 0, monotonicMs: 0 },
} as const;
/** How long a worker is away, in milliseconds: by then its jobs were given to others. */
const awayMs = 15_000;
/** How long a process that goes on may keep its order, in milliseconds. */
const keepMs = 3_000;

/**
 * What a person does with an update that needs review. Who looks for it at the service resolves or retries it; one does so
 * once the worker is back. Another retries it, and the worker comes back while the service is silent.
 */
const choices = ['retry', 'discard', 'look', 'look later', 'retry in silence'] as const;

interface Run extends Pause {
  readonly story: string;
  readonly clock: keyof typeof clocks;
  readonly choice: (typeof choices)[number];
}

/** A worker that is paused in one run after another, with an order service of its own. */
interface Stage {
  readonly service: MockOrderService;
  readonly worker: PausableWorker;
  /** Plays a run, and checks what became of its updates; without a pause, to see which awaits are passed. */
  play(run: Pick<Run, 'story'> & Partial<Run>): Promise<Played>;
}

interface Played {
  readonly wasPaused: boolean;
  /** How often each await was passed in each phase. */
  readonly passes: readonly (readonly [string, number])[];
}

type Desk = Pick<PausableWorker, 'history' | 'discard' | 'retry' | 'resolve'>;

/** One order of a run: what was accepted for it, what a person decided, and what must have become of it. */
function followOrder(desk: Desk, service: MockOrderService, token: string) {
  const decided = new Map<string, { readonly count: number; readonly isRetried: boolean }>();
  const ids: string[] = [];
  /** Its updates as they were accepted: the first has the quantity 1, and so on. */
  async function inSequence(): Promise<UpdateStatus[]> {
    const updates = await desk.history(token);
    return updates.toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
  }
  const countOf = (quantity: number): number =>
    stepsApplied(service, token).filter((each) => each === quantity).length;
  const isFinal = ({ state }: UpdateStatus): boolean => ['applied', 'rejected', 'discarded'].includes(state);

  return {
    accept: (...accepted: readonly string[]) => void ids.push(...accepted),
    async isSettled() {
      return (await inSequence()).every(isFinal);
    },
    /** Whether nothing happens without a person. */
    async isWaiting() {
      const states = (await inSequence()).map(({ state }) => state);
      return states.includes('needs_review') && !states.includes('sending');
    },
    async decide(choice: Run['choice']): Promise<void> {
      for (const [place, { id, state }] of (await inSequence()).entries()) {
        if (state !== 'needs_review') continue;
        const count = countOf(place + 1);
        const found = count > 0 ? 'resolve' : 'retry';
        const action = choice.startsWith('look') ? found : choice === 'discard' ? choice : 'retry';
        await desk[action](id);
        decided.set(id, { count, isRetried: action === 'retry' });
      }
    },
    async check(): Promise<void> {
      const steps = stepsApplied(service, token).map(Number);
      expect(steps).toEqual(steps.toSorted((a, b) => a - b));
      const ends = await inSequence();
      expect(ends).toHaveLength(ids.length);
      for (const [place, { id, state }] of ends.entries()) {
        const { count, isRetried } = decided.get(id) ?? { count: 0, isRetried: true };
        const wanted = count + Number(isRetried && state === 'applied');
        expect({ quantity: place + 1, state, count: countOf(place + 1) }).toMatchObject({ count: wanted });
      }
    },
  };
}

/** Opens a stage on PostgreSQL, where another process takes over from the paused worker, and a person decides. */
async function openStage(scene: Scene, schema: string, cleanups: (() => Promise<unknown>)[]): Promise<Stage> {
  const { sql, postgres, openStore } = scene;
  const connection = new URL(postgres.connectionString);
  const service = await startMockOrderService({ orders: ['warm'] });
  cleanups.push(() => service.close());
  const timeouts = { attempt: 2_000 };
  const client = createOrdersClient({ baseUrl: service.url, apiKey: service.key, timeouts });
  cleanups.push(() => client.close());
  const worker = startPausableWorker();
  cleanups.push(() => worker.end());
  const store = await openStore();
  const outbox = await createOutbox({ store, databaseSchema: schema });
  cleanups.push(() => outbox.close());
  const options = { schema: `${schema}_queue`, migrate: false, schedule: false, supervise: false };
  const boss = new PgBoss({ db: { executeSql: store.executeSql }, ...options });
  await boss.start();
  cleanups.push(() => boss.stop({ graceful: false, close: false }));

  /** Takes from a stalled worker what time takes from it: transactions, jobs, and being counted. */
  async function takeAway(isHurried: boolean): Promise<void> {
    await until('its transactions have ended', async () => {
      // PostgreSQL ends them by itself after some seconds, since the outbox says so.
      const { rows } = await sql.query(
        `select case when $2 and state like 'idle in%' then pg_terminate_backend(pid) end from pg_stat_activity
         where application_name = $1 and (state like 'idle in%' or state = 'active')`,
        [schema, isHurried],
      );
      return rows.length === 0;
    });
    await sql.query(
      `update ${schema}_queue.job_common set heartbeat_on = heartbeat_on - interval '15 seconds'`,
    );
    await sql.query(`update ${schema}_queue.queue set monitor_claim_on = null, monitor_on = null`);
    await boss.supervise('lanes');
    await forgetWorkers();
  }
  const forgetWorkers = () => sql.query(`delete from ${schema}.limits where name like 'worker:%'`);

  let runs = 0;
  async function play(run: Pick<Run, 'story'> & Partial<Run>): Promise<Played> {
    const { fault, rate, isDeaf = false, isAbandoned, isEarly } = stories[run.story] as Story;
    const rated = rate ? { rate } : {};
    service.reset();
    const token = service.addOrder(`order_${++runs}`);
    if (fault) service.faults.next(fault, { token });
    await forgetWorkers();
    connection.searchParams.set('application_name', schema);
    const open = () =>
      worker.open({
        baseUrl: service.url,
        apiKey: service.key,
        connectionString: connection.href,
        databaseSchema: schema,
        isDeaf,
        ...rated,
      });
    const arm = () => worker.arm(run.site === undefined ? undefined : (run as Run));
    let opening: Promise<void> | undefined;
    if (!isEarly) {
      await open();
      // Once it is warm, it does the same in each run.
      await scene.reaches(outbox, await outbox.enqueue('warm', step(0)), 'applied');
      await arm();
    }
    const desk: Desk = {
      history: (of) => outbox.history(of),
      discard: async (id) => void (await outbox.discard(id)),
      retry: async (id) => void (await outbox.retry(id)),
      resolve: async (id) => void (await outbox.resolve(id, 'applied')),
    };
    const order = followOrder(desk, service, token);
    await store.transaction(async (tx) => {
      for (const quantity of [1, 2]) order.accept(await outbox.enqueue(token, step(quantity), { tx }));
      if (!isAbandoned) return;
      const mark = `update ${schema}.updates set state = 'sending', claim = 'lost' where token = $1 and position = 1`;
      await tx.query(mark, [token]);
    });
    if (isEarly) {
      await arm();
      opening = open();
    }
    const isDone = async () => (await order.isSettled()) || (await order.isWaiting());
    const settle = (choice: Run['choice']) =>
      until('all is settled', async () => {
        await order.decide(choice);
        return order.isSettled();
      });

    await until('it pauses, or is done', async () => worker.isPaused || isDone());
    const wasPaused = worker.disarm();
    const passes = wasPaused ? [] : await worker.passes();
    const { setMs, monotonicMs } = clocks[run.clock ?? 'right'];
    let other: Outbox | undefined;
    if (wasPaused) {
      worker.shift({ wallMs: setMs });
      await takeAway(!inFull || run.clock !== 'right');
      other = await createOutbox({
        client,
        store: await openStore(),
        databaseSchema: schema,
        warn() {},
        ...rated,
      });
      await other.start();
      const endAt = performance.now() + keepMs;
      // A process that goes on may get back its own order, and keeps it until what is paused has ended.
      const isKept = () => run.stops === 'flow' && performance.now() > endAt;
      await until('another has taken over', async () => isKept() || isDone());
      if (isKept()) {
        // There is nothing to decide yet.
      } else if (run.choice === 'retry in silence') {
        const requests = service.requests({ token }).length;
        service.faults.next({ type: 'stalled_headers', applied: false }, { token });
        await order.decide(run.choice);
        const isSilent = () => service.requests({ token }).length > requests;
        await until('it is silent', async () => isSilent() || order.isSettled());
      } else if (run.choice !== 'look later') await settle(run.choice ?? 'look');
      worker.shift({ wallMs: awayMs, monotonicMs });
      worker.resume();
      await opening;
      if (run.choice === 'look later') await worker.close();
    }
    await opening;
    // It would wake an order that stands still, so every other run does without.
    if (runs % 2 === 0) order.accept(await outbox.enqueue(token, step(3)));
    await settle('look');
    await worker.close();
    await other?.close();
    if (wasPaused) worker.shift({ wallMs: -awayMs - setMs });
    await order.check();
    return { wasPaused, passes };
  }
  return { service, worker, play };
}

/** Opens a stage on PGlite: the worker is alone, and goes on where it was. */
async function openLonelyStage(cleanups: (() => Promise<unknown>)[]): Promise<Stage> {
  const service = await startMockOrderService({ orders: 1 });
  cleanups.push(() => service.close());
  const worker = startPausableWorker();
  cleanups.push(() => worker.end());
  const task = { baseUrl: service.url, apiKey: service.key, databaseSchema: 'alone' };
  let runs = 0;
  async function play(run: Pick<Run, 'story'> & Partial<Run>): Promise<Played> {
    const { fault, rate, isDeaf = false } = stories[run.story] as Story;
    service.reset();
    const token = service.addOrder(`order_${++runs}`);
    if (fault) service.faults.next(fault, { token });
    await worker.open({ ...task, isDeaf, ...(rate ? { rate } : {}) });
    await worker.arm(run.site === undefined ? undefined : (run as Run));
    const order = followOrder(worker, service, token);
    const accepting = worker.enqueue([token], [1, 2]).then((ids) => order.accept(...ids));
    const settle = () =>
      until('all is settled', async () => {
        await order.decide('look');
        return order.isSettled();
      });
    const done = accepting.then(() =>
      until('it is done', async () => worker.isPaused || (await order.isSettled()) || order.isWaiting()),
    );
    // A worker that is paused says nothing.
    await until('it pauses, or is done', () => worker.isPaused || Promise.race([done, delay(15, false)]));
    const wasPaused = worker.disarm();
    const passes = wasPaused ? [] : await worker.passes();
    const { setMs, monotonicMs } = clocks[run.clock ?? 'right'];
    if (wasPaused) {
      // PGlite has the same clock, and pg-boss holds back what was queued at a later time than now.
      worker.shift({ wallMs: Math.max(0, setMs) + awayMs, monotonicMs });
      worker.resume();
    }
    await done;
    order.accept(...(await worker.enqueue([token], [3])));
    await settle();
    await order.check();
    await worker.close();
    return { wasPaused, passes };
  }
  return { service, worker, play };
}

/** Files whose awaits are between taking an update and storing what became of it. */
const between = ['limits', 'queue', 'send', 'store', 'turn', 'worker'].map((name) => `outbox/src/${name}.ts`);

type Kind = Pick<Pause, 'stops' | 'phase'>;

/** Later passes of an await are those of a worker that waits. */
const mostPasses = 4;

/** Pauses at every pass of every await of these stories, or at some of them, on all stages at a time. */
async function sweep(
  stages: readonly Stage[],
  names: readonly string[],
  { kinds, sample }: { readonly kinds: readonly Kind[]; readonly sample: number },
): Promise<void> {
  const first = stages[0] as Stage;
  expect((await first.worker.sites()).length).toBeGreaterThan(150);
  const points: (Pause & Pick<Run, 'story'>)[] = [];
  const seed = randomInt(1_000);
  for (const story of names) {
    const { passes } = await first.play({ story });
    for (const [key, count] of passes) {
      const [site = '', phase] = key.split(' ') as [string, Run['phase']];
      const isInClient = site.startsWith('client/');
      for (const { stops } of kinds.filter((kind) => kind.phase === phase)) {
        // The client sends one update of an order after another: it may hold up the process, but not the order alone.
        if (isInClient && stops === 'flow') continue;
        for (let nth = 1; nth <= Math.min(count, inFull ? mostPasses : 1); nth++) {
          // Clocks and decisions matter most where an update is sent.
          const variants = nth === 1 && (isInClient || site.includes('/send.ts')) ? choices.length : 1;
          for (let variant = 0; variant < variants; variant++)
            points.push({ story, site, phase, nth, stops });
        }
      }
    }
  }
  const files = new Set(points.map(({ site }) => site.split(':')[0]));
  expect([...files]).toEqual(expect.arrayContaining(between));
  expect(points.length).toBeGreaterThan(30 * names.length * kinds.length);
  const every = Math.max(1, Math.ceil(points.length / sample));
  const chosen = points
    .filter((_, place) => place % every === seed % every)
    .map((point, place): Run => {
      const clock = Object.keys(clocks)[(place + seed) % 4] as Run['clock'];
      return { ...point, clock, choice: choices[(place + seed) % 5] as Run['choice'] };
    });
  const rest = [...chosen];
  const nameOf = ({ story, site, phase, stops }: (typeof points)[number]): string =>
    `${story}: ${stops} ${site} ${phase}`;
  const paused = new Set<string>();
  const work = async ({ play }: Stage): Promise<void> => {
    for (let run = rest.shift(); run; run = rest.shift()) {
      try {
        if ((await play(run)).wasPaused) paused.add(nameOf(run));
      } catch (error) {
        rest.length = 0;
        throw new Error(`It fails with ${JSON.stringify(run)}`, { cause: error });
      }
    }
  };
  const results = await Promise.allSettled(stages.map(work));
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  // Some awaits, such as those of a heartbeat, are passed only at times, and more of them on a busy machine.
  expect(paused.size).toBeGreaterThan(new Set(chosen.map(nameOf)).size / (inFull ? 3 : 4));
}

async function onStages(
  open: (place: number, cleanups: (() => Promise<unknown>)[]) => Promise<Stage>,
  count: number,
  use: (stages: readonly Stage[]) => Promise<void>,
): Promise<void> {
  const cleanups: (() => Promise<unknown>)[] = [];
  try {
    await use(await Promise.all(Array.from({ length: count }, (_, place) => open(place, cleanups))));
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup();
  }
}

const kinds: readonly Kind[] = [
  { stops: 'process', phase: 'begun' },
  { stops: 'process', phase: 'settled' },
  { stops: 'flow', phase: 'begun' },
  { stops: 'flow', phase: 'settled' },
];

function onPaused(
  what: string,
  options: Parameters<typeof sweep>[2] & { readonly names: readonly string[] },
): void {
  const { names, ...rest } = options;
  onPostgres(
    `repeats and loses nothing where a worker is paused past its lease${what}`,
    (scene) =>
      onStages(
        (place, cleanups) => openStage(scene, `${scene.newSchema}_${place}`, cleanups),
        inFull ? 5 : 1,
        (stages) => sweep(stages, names, rest),
      ),
    // Each stage has as many connections as other tests have in all.
    { isAlone: inFull },
  );
}

if (!inFull) onPaused('', { names: Object.keys(stories), kinds, sample: 8 });
else
  for (const name of Object.keys(stories))
    for (const kind of kinds)
      onPaused(`: ${name}, a ${kind.stops} at what has ${kind.phase}`, {
        names: [name],
        kinds: [kind],
        sample: 1e6,
      });

async function playAlone(): Promise<void> {
  const names = ['an applied update', 'a rejected update', 'a lost response'];
  await onStages(
    (_, cleanups) => openLonelyStage(cleanups),
    1,
    async (stages) => {
      await sweep(stages, names, { kinds, sample: 120 });
      for (const stage of stages) await stallBeforeSending(stage);
    },
  );
}

if (inFull)
  onPglite(
    'goes on where it was paused, and takes no stall of its own for an outage of the service',
    playAlone,
  );

/** Pauses a worker before it sends the first of some updates, for longer than they may wait. */
async function stallBeforeSending({ service, worker }: Stage): Promise<void> {
  service.reset();
  const tokens = Array.from({ length: 5 }, () => service.addOrder());
  const before = (await worker.warnings()).length;
  await worker.open({ baseUrl: service.url, apiKey: service.key, databaseSchema: 'alone', isDeaf: false });
  const site = (await worker.sites()).find((each) => each.startsWith('outbox/src/send.ts'));
  await worker.arm({ site: site ?? '', phase: 'begun', nth: 1, stops: 'process' });
  const accepting = worker.enqueue(tokens, [1]);
  await until('it pauses before it sends', () => worker.isPaused);
  worker.shift({ monotonicMs: awayMs, wallMs: awayMs });
  worker.resume();
  await accepting;
  await until('all is applied', () => service.ledger.length === tokens.length);
  expect((await worker.warnings()).slice(before)).toEqual([]);
}

onPostgres('sends at once what is accepted while a turn ends', async (scene) => {
  const { open, openStore, service, token, reaches } = scene;
  const producer = await open();
  const [, other = ''] = service.orders.map((order) => order.token);
  let accepting: Promise<string> | undefined;
  const outbox = await open({
    store: watchStore(waitForWaking(await openStore()), {
      async afterCommit(turn) {
        // Its notification arrives after the turn has looked at the queue.
        if (turn?.heads.length !== 1 || accepting) return;
        accepting = producer.enqueue(other, step(2));
        await accepting;
        await delay(50);
      },
    }),
  });
  await outbox.start();
  await until('a worker is ready', async () =>
    (await outbox.status()).workers.some(({ problem }) => !problem),
  );
  await reaches(outbox, await outbox.enqueue(token, step(1)), 'applied');
  await reaches(outbox, (await accepting) ?? '', 'applied');
});
