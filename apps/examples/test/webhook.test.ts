import { defineOrderUpdate } from '@orders/schema';
import { startMockOrderService } from '@orders/testing';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { startServer } from './run-program.ts';

const secret = 'k3Jx0vRZ2mPq7LwT';

let shop: Awaited<ReturnType<typeof startShop>>;
beforeAll(async () => {
  shop = await startShop();
  return () => shop[Symbol.asyncDispose]();
});
beforeEach(() => shop.service.reset());

async function startShop() {
  const service = await startMockOrderService({ schema: defineOrderUpdate({ qrSessionId: 'qr_session' }) });
  const shop = await startServer('webhook.ts', {
    ORDERS_URL: service.url,
    ORDERS_API_KEY: service.key,
    ORDER_TOKEN: service.token,
    WEBHOOK_SECRET: secret,
  });
  const url = `${shop.url}/hooks/${secret}`;
  const { token } = service;
  const call = (sessionId: string) => service.webhooks.send('start_qr_session', { token, url, sessionId });
  const sessions = () => service.appliedUpdates(token).map(({ qr_session }) => qr_session);
  return {
    service,
    url,
    call,
    sessions,
    async [Symbol.asyncDispose]() {
      await shop[Symbol.asyncDispose]();
      await service.close();
    },
  };
}

test('sends the session of a webhook back in an update, once', async () => {
  const { id, delivered } = await shop.call('qr_77');
  expect(delivered).toBe(true);
  await expect.poll(shop.sessions).toEqual(['qr_77']);
  await shop.service.webhooks.replay(id);
  await shop.call('qr_78');
  await expect.poll(shop.sessions).toEqual(['qr_77', 'qr_78']);
});

test('a repeated call sends a session again only if it was not applied', async () => {
  const { faults, webhooks } = shop.service;
  faults.next([{ type: 'status', status: 400 }, { type: 'none' }, { type: 'reset_after_applying' }]);

  const rejected = await shop.call('qr_1');
  await expect
    .poll(async () => {
      await webhooks.replay(rejected.id);
      return shop.sessions();
    })
    .toEqual(['qr_1']);

  const unknown = await shop.call('qr_2');
  await expect.poll(shop.sessions).toEqual(['qr_1', 'qr_2']);
  await webhooks.replay(unknown.id);
  await shop.call('qr_3');
  await expect.poll(shop.sessions).toEqual(['qr_1', 'qr_2', 'qr_3']);
});

test('refuses a wrong address, and a body that is too large or no object; ignores other events', async () => {
  const post = async (url: string, body: string) =>
    (await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).status;
  const event = JSON.stringify({ event: 'start_qr_session', session_id: 'qr_4' });
  expect(await post(`${shop.url}x`, event)).toBe(404);
  expect(await post(shop.url, '[]')).toBe(400);
  expect(await post(shop.url, '{')).toBe(400);
  expect(await post(shop.url, JSON.stringify({ text: 'x'.repeat(20_000) }))).toBe(413);
  expect(await post(shop.url, JSON.stringify({ event: 'other', session_id: 'qr_4' }))).toBe(204);
  await shop.call('qr_5');
  await expect.poll(shop.sessions).toEqual(['qr_5']);
});
