import fc from 'fast-check';
import { expect, test } from 'vitest';
import { askDesk, postJson } from '../../test/ask-desk.ts';
import { openTestDesk, type TestDesk } from '../../test/open-test-desk.ts';

const scanned = { id: 'evt_1', event: 'start_qr_session', order_token: 'order-1', session_id: 'qr-1' };

async function openHook() {
  const open = await openTestDesk();
  const { webhookUrl } = (await askDesk(open, '/api/orders/order-1')).body as { webhookUrl: string };
  return Object.assign(open, { path: new URL(webhookUrl).pathname });
}

const session = async ({ storage }: TestDesk) => (await storage.orders.find('order-1'))?.qrSession?.id;

test('notes the session of a scan, and tells it', async () => {
  await using open = await openHook();
  const told: unknown[] = [];
  open.hub.subscribe((message) => told.push(message));
  expect(await postJson(open, open.path, scanned)).toMatchObject({ status: 204, body: undefined });
  expect(await session(open)).toBe('qr-1');
  expect(told).toMatchObject([{ type: 'stored', event: { kind: 'qr_session', sessionId: 'qr-1' } }]);
});

test('changes nothing by a replay, not even after another session', async () => {
  await using open = await openHook();
  for (const session_id of ['qr-1', 'qr-2', 'qr-1', 'qr-2'])
    expect((await postJson(open, open.path, { ...scanned, session_id })).status).toBe(204);
  expect(await session(open)).toBe('qr-2');
  expect(await open.storage.events.after(0, 10)).toHaveLength(2);
});

test('changes nothing by another event', async () => {
  await using open = await openHook();
  expect((await postJson(open, open.path, { ...scanned, event: 'order_paid' })).status).toBe(204);
  expect(await session(open)).toBeUndefined();
});

test('answers a wrong secret and an unknown order alike', async () => {
  await using open = await openHook();
  const secret = open.path.split('/').at(-1) ?? '';
  const paths = [
    `/hooks/order-1/${secret.slice(0, -1)}`,
    `/hooks/order-1/${secret}x`,
    `/hooks/order-2/${secret}`,
    `/hooks/order-2/x`,
    `/hooks/%00/${secret}`,
  ];
  const answers = await Promise.all(paths.map((path) => postJson(open, path, scanned)));
  const [first] = answers;
  expect(first).toMatchObject({ status: 404 });
  for (const { status, body } of answers)
    expect({ status, body }).toEqual({ status: 404, body: first?.body });
  expect(await session(open)).toBeUndefined();
});

test('tells every order another secret', async () => {
  await using open = await openTestDesk({ others: ['order-2'] });
  const secrets = await Promise.all(
    ['order-1', 'order-2'].map(async (token) => (await open.storage.orders.find(token))?.webhookSecret),
  );
  expect(new Set(secrets).size).toBe(2);
  for (const secret of secrets) expect(secret).toMatch(/^[\w-]{32,}$/);
});

test('refuses what is no event, and a scan without a session that can be one', async () => {
  await using open = await openHook();
  const refused = [
    ['{"event":', 400],
    ['[]', 400],
    [{ event: 'start_qr_session' }, 400],
    [{ ...scanned, session_id: 7 }, 400],
    [{ ...scanned, session_id: 'x'.repeat(256) }, 400],
    [{ ...scanned, session_id: 'qr\u0000' }, 400],
    [{ ...scanned, more: 'x'.repeat(65_536) }, 413],
  ] as const;
  for (const [body, status] of refused)
    expect(await postJson(open, open.path, body), JSON.stringify(body)).toMatchObject({ status });
  expect(await session(open)).toBeUndefined();
});

test('takes a session of 255 characters', async () => {
  await using open = await openHook();
  const session_id = 'ø'.repeat(255);
  expect((await postJson(open, open.path, { ...scanned, session_id })).status).toBe(204);
  expect(await session(open)).toBe(session_id);
});

test('refuses a body of unknown length once it is too long', async () => {
  await using open = await openHook();
  const body = new Blob(['{"a":"', 'x'.repeat(100_000), '"}']).stream();
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    duplex: 'half',
  } as const;
  expect((await askDesk(open, open.path, init)).status).toBe(413);
});

test('survives whatever is sent to it', async () => {
  await using open = await openHook();
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.json(), fc.string()), async (text) => {
      const { status } = await postJson(open, open.path, text);
      expect([204, 400]).toContain(status);
    }),
    { numRuns: 60 },
  );
  expect(await session(open)).toBeUndefined();
});
