import type { Fault } from '@orders/testing';
import fc from 'fast-check';
import { expect } from 'vitest';
import { mortalStore } from '../test/mortal-store.ts';
import { onBoth, onPglite, step, stepsApplied } from '../test/scene.ts';
import type { Outbox } from './outbox.ts';
import { rowsOf } from './store/sql.ts';

const faults: readonly Fault[] = [
  { type: 'status', status: 400 },
  { type: 'status', status: 500 },
  { type: 'status', status: 429, headers: { 'retry-after': '0' } },
  { type: 'status', status: 503, headers: { 'retry-after': '0' } },
  { type: 'reset_before_applying' },
  { type: 'reset_after_applying' },
  { type: 'truncation' },
  { type: 'latency', ms: 20 },
  { type: 'stalled_headers' },
];

type Command =
  | { readonly do: 'enqueue' | 'drain' | 'restart' | 'crash'; readonly order: number }
  | { readonly do: 'fail'; readonly order: number; readonly fault: Fault }
  | { readonly do: 'decide'; readonly order: number; readonly retry: boolean };

const orders = fc.nat(2);
const commands = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.record({ do: fc.constant('enqueue' as const), order: orders }) },
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant('fail' as const),
        order: orders,
        fault: fc.constantFrom(...faults),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constant('decide' as const), order: orders, retry: fc.boolean() }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constantFrom('drain' as const, 'restart' as const, 'crash' as const),
        order: orders,
      }),
    },
  ),
  { minLength: 5, maxLength: 30 },
);

onPglite('ends every update once and in order, whatever goes wrong', async (scene) => {
  const { service, openStore, sql, clientWith } = scene;
  const client = clientWith(250);
  let runs = 0;

  async function play(script: readonly Command[]): Promise<void> {
    const schema = `${scene.schema}_${++runs}`;
    service.reset();
    const tokens = service.orders.map(({ token }) => token);
    const dead: Outbox[] = [];
    let number = 0;

    async function begin() {
      const store = mortalStore(await openStore());
      const outbox = await scene.open({ store, schema, client, warn() {} });
      await outbox.work();
      return { store, outbox };
    }

    let { store, outbox } = await begin();
    async function decide(retry: boolean): Promise<boolean> {
      const [first] = await outbox.listDecisions();
      // What the service refused goes: sent again behind others, it would be out of order by right.
      if (first) await outbox[retry && first.state === 'parked' ? 'retry' : 'discard'](first.id);
      return first !== undefined;
    }
    for (const command of script) {
      const token = tokens[command.order] ?? '';
      if (command.do === 'enqueue') await outbox.enqueue(token, step(++number));
      else if (command.do === 'fail') service.faults.next(command.fault, { token });
      else if (command.do === 'drain') await outbox.drain();
      else if (command.do === 'decide') await decide(command.retry);
      else {
        if (command.do === 'crash') store.kill();
        else await outbox.close({ graceMs: 0 });
        dead.push(outbox);
        ({ store, outbox } = await begin());
      }
    }
    service.faults.clear();
    do await outbox.drain();
    while (await decide(true));

    const updates = await rowsOf<{ body: string; token: string; state: string; parked: boolean }>(
      sql,
      `select body, token, state, exists (
         select from ${schema}.events as e where e.update_id = u.id and e.kind = 'parked'
       ) as parked from ${schema}.updates as u`,
    );
    expect(updates).toHaveLength(number);
    for (const { body, token, state, parked } of updates) {
      const applied = stepsApplied(service, token);
      const times = applied.filter((each) => each === JSON.parse(body).cart.items[0].quantity).length;
      expect(['applied', 'discarded']).toContain(state);
      if (state === 'applied') expect(times).toBeGreaterThan(0);
      if (!parked) expect(times).toBe(state === 'applied' ? 1 : 0);
    }
    for (const token of tokens) {
      const applied = stepsApplied(service, token).map(Number);
      expect(applied).toEqual(applied.toSorted((a, b) => a - b));
    }
    expect(
      (await rowsOf(sql, `select from ${schema}.lanes where state <> 'idle' or held_by is not null`)).length,
    ).toBe(0);
    await outbox.close();
    await Promise.all(dead.map((each) => each.close({ graceMs: 0 })));
  }

  await fc.assert(fc.asyncProperty(commands, play), { numRuns: 6, endOnFailure: true });
});

onBoth('answers nothing once it is closed, and refuses what cannot be asked', async ({ open, token }) => {
  const outbox = await open();
  const id = await outbox.enqueue(token, step(1));
  for (const limit of [-1, 'x', { limit: 3 }]) {
    await expect(outbox.history(token, limit as never)).rejects.toThrow(TypeError);
    await expect(outbox.listDecisions(limit as never)).rejects.toThrow(TypeError);
  }
  await outbox.close();
  const asked: readonly (() => Promise<unknown>)[] = [
    () => outbox.enqueue(token, step(2)),
    () => outbox.work(),
    () => outbox.drain(),
    () => outbox.status(id),
    () => outbox.history(token),
    () => outbox.listDecisions(),
    () => outbox.retry(id),
    () => outbox.discard(id),
    () => outbox.backlog(),
    () => outbox.counts(),
  ];
  for (const ask of asked) await expect(ask()).rejects.toMatchObject({ name: 'OutboxError', code: 'closed' });
});
