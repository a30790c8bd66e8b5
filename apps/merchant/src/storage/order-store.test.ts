import { randomUUID } from 'node:crypto';
import { buildOrderUpdate } from '@orders/testing';
import { expect, test } from 'vitest';
import { prepareStorageEngines, storageEngines } from '../../test/prepare-storage-engines.ts';
import { UpdateConflict } from './update-conflict.ts';

const engines = prepareStorageEngines();
const body = buildOrderUpdate();

test.for(storageEngines)(
  '%s: adds each order once, with a secret that cannot be guessed',
  async (engine, context) => {
    const { orders } = await engines.shared(engine, context);
    const [one, other] = [randomUUID(), randomUUID()];
    await orders.add([{ token: one, body }]);
    const before = await orders.find(one);
    await orders.add([
      { token: one, body: { cart: {} } },
      { token: other, body },
    ]);

    expect(await orders.find(one)).toEqual(before);
    expect(before).toMatchObject({ token: one, body, draft: null, qrSession: null });
    expect(before?.webhookSecret).toMatch(/^[\w-]{43}$/);
    expect((await orders.find(other))?.webhookSecret).not.toBe(before?.webhookSecret);
  },
);

test.for(storageEngines)(
  '%s: lists orders as they became known, with what stands open',
  async (engine, context) => {
    const { orders, updates } = await engines.shared(engine, context);
    const [one, other] = [randomUUID(), randomUUID()];
    await orders.add([
      { token: one, body: { order_id: 'm-1', purchase_currency: 'EUR', cart: { items: [{}, {}] } } },
      { token: other, body: { cart: {} } },
    ]);
    const ids = [randomUUID(), randomUUID(), randomUUID()] as const;
    for (const id of ids) await updates.accept({ id, token: one, body });
    const at = new Date().toISOString();
    for (const id of ids.slice(0, 2))
      await updates.settle(id, { ok: false, outcome: 'unknown', attempts: 1, at });
    await updates.decide(ids[0], 'discarded');
    await orders.saveDraft(other, {});

    const listed = (await orders.list()).filter(({ token }) => token === one || token === other);
    expect(listed).toEqual([
      {
        token: one,
        orderId: 'm-1',
        currency: 'EUR',
        lines: 2,
        hasDraft: false,
        lastUpdate: expect.objectContaining({ id: ids[2], state: 'queued' }),
        undecided: 1,
      },
      {
        token: other,
        orderId: null,
        currency: null,
        lines: 0,
        hasDraft: true,
        lastUpdate: null,
        undecided: 0,
      },
    ]);
  },
);

test.for(storageEngines)('%s: keeps the last draft until it is forgotten', async (engine, context) => {
  const { orders } = await engines.shared(engine, context);
  const token = randomUUID();
  await orders.add([{ token, body }]);
  const draft = { z: '\u0000', a: ['\ud800', null, 0.1] };
  expect(await orders.saveDraft(token, 'first')).toBe(true);
  expect(await orders.saveDraft(token, draft)).toBe(true);
  expect((await orders.find(token))?.draft).toEqual(draft);
  expect(await orders.saveDraft(token, null)).toBe(true);
  expect((await orders.find(token))?.draft).toBeNull();
});

test.for(storageEngines)(
  '%s: forgets a draft once an update that was accepted after it is applied',
  async (engine, context) => {
    const { orders, updates } = await engines.shared(engine, context);
    const token = randomUUID();
    await orders.add([{ token, body }]);
    const send = async (outcome: 'applied' | 'rejected', meanwhile = async () => {}) => {
      const id = randomUUID();
      await updates.accept({ id, token, body });
      await meanwhile();
      await updates.settle(id, {
        ok: outcome === 'applied',
        outcome,
        attempts: 1,
        at: new Date().toISOString(),
      });
      return (await orders.find(token))?.draft;
    };

    await orders.saveDraft(token, 'before');
    expect(await send('rejected')).toBe('before');
    expect(await send('applied')).toBeNull();
    const typeOn = async () => {
      await orders.saveDraft(token, 'meanwhile');
    };
    expect(await send('applied', typeOn)).toBe('meanwhile');
  },
);

test.for(storageEngines)(
  '%s: notes a QR session once, and never goes back to an earlier one',
  async (engine, context) => {
    const { orders, events } = await engines.shared(engine, context);
    const [token, other] = [randomUUID(), randomUUID()];
    await orders.add([
      { token, body },
      { token: other, body },
    ]);

    const first = await orders.startQrSession(token, 'session-1');
    expect(first).toEqual({
      seq: expect.any(Number),
      at: expect.any(String),
      event: { kind: 'qr_session', token, sessionId: 'session-1' },
    });
    expect(await orders.startQrSession(token, 'session-1')).toBeUndefined();
    const second = await orders.startQrSession(token, 'session-2');
    expect(await orders.startQrSession(token, 'session-1')).toBeUndefined();

    expect((await orders.find(token))?.qrSession).toEqual({ id: 'session-2', at: second?.at });
    expect(await events.ofOrder(token, 10)).toEqual([first, second]);
    expect(await orders.startQrSession(other, 'session-1')).toBeDefined();
  },
);

test.for(storageEngines)('%s: knows no order by a token that was not added', async (engine, context) => {
  const { orders, updates } = await engines.shared(engine, context);
  for (const token of [randomUUID(), 'with\0nul', '\ud800']) {
    expect(await orders.find(token)).toBeUndefined();
    expect(await orders.saveDraft(token, {})).toBe(false);
    expect(await orders.startQrSession(token, 'session-1')).toBeUndefined();
    await expect(updates.accept({ id: randomUUID(), token, body })).rejects.toThrow(
      new UpdateConflict('no_such_order'),
    );
  }
});
