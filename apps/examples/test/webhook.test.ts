import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineOrderUpdate } from '@orders/schema';
import { startMockOrderService } from '@orders/testing';
import { beforeAll, expect, test } from 'vitest';
import { makeFolder } from '../../../packages/outbox/test/make-folder.ts';
import { startServer } from './run-program.ts';

const secret = 'k3Jx0vRZ2mPq7LwT';

const startService = () =>
  startMockOrderService({ schema: defineOrderUpdate({ qrSessionId: 'qr_session' }) });
type Service = Awaited<ReturnType<typeof startService>>;

let shop: ReturnType<typeof createShop>;
beforeAll(async () => {
  const service = await startService();
  const folder = await mkdtemp(join(tmpdir(), 'orders-webhook-'));
  await makeFolder(join(folder, 'outbox'));
  shop = createShop(service, folder);
  // Nothing is sent before the first echo succeeds.
  service.faults.always({ type: 'status', status: 503 }, { operation: 'echo' });
  await shop.start();
  return async () => {
    await shop.kill();
    await service.close();
    await rm(folder, { recursive: true });
  };
});

function createShop(service: Service, folder: string) {
  let server: Awaited<ReturnType<typeof startServer>> | undefined;
  const { token } = service;
  const url = () => `${server?.url}/hooks/${secret}`;
  return {
    service,
    url,
    printed: () => server?.printed(),
    call: (sessionId: string) => service.webhooks.send('start_qr_session', { token, url: url(), sessionId }),
    sessions: () => service.appliedUpdates(token).map(({ qr_session }) => qr_session),
    /** Starts a process, on the folder of the one before. */
    async start() {
      server = await startServer('webhook.ts', {
        ORDERS_BASE_URL: service.url,
        ORDERS_API_KEY: service.key,
        ORDER_TOKEN: token,
        WEBHOOK_SECRET: secret,
        OUTBOX_FOLDER: join(folder, 'outbox'),
      });
    },
    kill: () => server?.[Symbol.asyncDispose](),
  };
}

// The first: a process that is killed while an update is in flight leaves it unknown, and what follows waits behind it.
test('a payment goes through though the process is killed between the webhook and the update', async () => {
  expect(await shop.call('qr_9')).toMatchObject({ delivered: true });
  await shop.kill();
  expect(shop.sessions()).toEqual([]);
  shop.service.faults.clear();
  await shop.start();
  await expect.poll(shop.sessions).toEqual(['qr_9']);
});

test('sends the session of a webhook back in an update, once', async () => {
  shop.service.faults.clear();
  const before = shop.sessions().length;
  const sessions = () => shop.sessions().slice(before);
  const { id, delivered } = await shop.call('qr_77');
  expect(delivered).toBe(true);
  await expect.poll(sessions).toEqual(['qr_77']);
  await shop.service.webhooks.replay(id);
  await shop.call('qr_78');
  await expect.poll(sessions).toEqual(['qr_77', 'qr_78']);
});

const post = async (url: string, body: string) =>
  (await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).status;

test('refuses an id that is no text, of which several would become one', async () => {
  const ids = ['1234567890123456781', '0', '{"$oid":"a"}', '["a"]', 'true', 'null', '""'];
  for (const id of ids)
    expect(await post(shop.url(), `{"id":${id},"event":"start_qr_session","session_id":"qr_3"}`), id).toBe(
      422,
    );
  expect(await post(shop.url(), 'null')).toBe(422);
});

test('refuses a wrong address, and a body that is too large or no object; ignores other events', async () => {
  const event = JSON.stringify({ id: 'one', event: 'start_qr_session', session_id: 'qr_4' });
  expect(await post(`${shop.url()}x`, event)).toBe(401);
  expect(await post(shop.url(), '[]')).toBe(422);
  expect(await post(shop.url(), '{')).toBe(401);
  expect(await post(shop.url(), JSON.stringify({ text: 'x'.repeat(20_000) }))).toBe(413);
  expect(await post(shop.url(), JSON.stringify({ id: 'two', event: 'other', session_id: 'qr_4' }))).toBe(204);
  shop.service.faults.clear();
  const before = shop.sessions().length;
  await shop.call('qr_5');
  await expect.poll(() => shop.sessions().slice(before)).toEqual(['qr_5']);
});

test('keeps an event whose session cannot be read', async () => {
  expect(await post(shop.url(), '{"id":"three","event":"start_qr_session","session_id":7}')).toBe(204);
  await expect.poll(shop.printed).toContain('The handler failed for the event');
});
