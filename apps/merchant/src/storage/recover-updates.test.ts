import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openTestStorage } from '../../test/open-test-storage.ts';
import { Outcome } from '../contract/update-report.ts';
import { awaitsDecision, type Decision, type UpdateState } from '../contract/update-view.ts';
import type { DeskStorage } from './desk-storage.ts';

/** What a person could tell of one update from a list on paper. */
interface Expected {
  state: UpdateState;
  decision: Decision | null;
  readonly sentThrough: 'client';
}

type Step = { readonly on: number } & (
  | { readonly kind: 'accept' | 'markSending' | 'repeat' | 'discard' | 'crash' }
  | { readonly kind: 'settle'; readonly outcome: Outcome }
);

const on = fc.nat({ max: 3 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    on,
    kind: fc.constantFrom('accept', 'accept', 'markSending', 'markSending', 'repeat', 'discard', 'crash'),
  }),
  fc.record({ on, kind: fc.constant('settle' as const), outcome: fc.constantFrom(...Outcome.options) }),
);

test('whatever happens and whenever the desk dies, nothing is applied that was not, and nothing forgotten', async () => {
  await using storage = await openTestStorage();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 25 }), async (steps) => {
      const token = randomUUID();
      await storage.orders.add([{ token, body: { order_id: 'none', cart: {} } }]);
      const ids = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
      const accepted = new Map<string, Expected>();
      // What is sent again is sent as it was.
      const first = new Map<string, string>();
      let applied = 'none';

      for (const { on, ...what } of steps) {
        const id = ids[on] ?? '';
        const update = accepted.get(id);
        const isOpen = update?.state === 'queued' || update?.state === 'sending';
        switch (what.kind) {
          case 'accept': {
            const { event } = await storage.updates.accept({
              id,
              token,
              body: { order_id: first.get(id) ?? id, cart: {} },
            });
            expect(event === undefined).toBe(update !== undefined);
            if (!update) accepted.set(id, { state: 'queued', decision: null, sentThrough: 'client' });
            break;
          }
          case 'markSending':
            await allowed(storage.updates.markSending(id, 1), isOpen);
            if (isOpen) update.state = 'sending';
            break;
          case 'settle': {
            const { outcome } = what;
            const report = {
              ok: outcome === 'applied',
              outcome,
              attempts: 1,
              at: new Date().toISOString(),
              data: randomUUID(),
            };
            await allowed(storage.updates.settle(id, report), isOpen);
            if (!isOpen) break;
            update.state = outcome;
            const order = [...accepted.keys()];
            if (outcome === 'applied' && order.indexOf(id) > order.indexOf(applied)) applied = id;
            break;
          }
          case 'discard':
          case 'repeat': {
            const isWaiting = update !== undefined && awaitsDecision(update);
            const newId = randomUUID();
            const change =
              what.kind === 'repeat'
                ? await storage.updates.repeat(id, newId)
                : await storage.updates.decide(id, 'discarded');
            expect(change !== undefined).toBe(isWaiting);
            if (!isWaiting) break;
            update.decision = what.kind === 'repeat' ? 'sent_again' : 'discarded';
            if (what.kind === 'repeat') {
              accepted.set(newId, { state: 'queued', decision: null, sentThrough: 'client' });
              ids[on] = newId;
              first.set(newId, first.get(id) ?? id);
            }
            break;
          }
          case 'crash': {
            const changes = await storage.updates.recover();
            const open = [...accepted].filter(([, { state }]) => state === 'queued' || state === 'sending');
            expect(changes.map(({ update }) => update.id)).toEqual(open.map(([id]) => id));
            for (const [, update] of open) update.state = update.state === 'sending' ? 'unknown' : 'not_sent';
          }
        }
      }
      await agrees(storage, token, accepted);
      const body = (await storage.orders.find(token))?.body.order_id;
      expect(body).toBe(applied === 'none' ? 'none' : await bodyOf(storage, applied));
      // What this run left open is no business of the next one.
      await storage.updates.recover();
    }),
    { numRuns: 50 },
  );
});

async function allowed(change: Promise<unknown>, isAllowed: boolean): Promise<void> {
  await (isAllowed
    ? change
    : expect(change).rejects.toThrow(expect.objectContaining({ name: 'UpdateConflict' })));
}

async function bodyOf({ updates }: DeskStorage, id: string): Promise<string | undefined> {
  return (await updates.find(id))?.body.order_id;
}

async function agrees(
  { updates, orders, events }: DeskStorage,
  token: string,
  accepted: ReadonlyMap<string, Expected>,
): Promise<void> {
  const stored = (await updates.listOf(token, 100)).toReversed();
  expect(
    stored.map(({ id, state, decision, sentThrough }) => [id, { state, decision, sentThrough }]),
  ).toEqual([...accepted]);
  const isOver = (state: UpdateState) => state !== 'queued' && state !== 'sending';
  expect(stored.every(({ state, report }) => (report?.outcome ?? state) === state)).toBe(true);

  const told = await events.ofOrder(token, 1_000);
  const settled = told.flatMap(({ event }) => (event.kind === 'update_settled' ? [event.updateId] : []));
  expect(settled.sort()).toEqual(
    stored
      .filter(({ state }) => isOver(state))
      .map(({ id }) => id)
      .sort(),
  );

  const waiting = stored.filter(awaitsDecision).map(({ id }) => id);
  const undecided = (await updates.listUndecided(10_000)).filter((update) => update.token === token);
  expect(undecided.map(({ id }) => id)).toEqual(waiting);
  const summary = (await orders.list()).find((order) => order.token === token);
  expect([summary?.undecided, summary?.lastUpdate ?? null]).toEqual([waiting.length, stored.at(-1) ?? null]);
}
