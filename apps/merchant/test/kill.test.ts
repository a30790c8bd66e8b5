import { randomUUID } from 'node:crypto';
import { buildOrderUpdate, type MockOrderService, startMockOrderService } from '@orders/testing';
import { expect, test } from 'vitest';
import type { NumberedEvent } from '../src/contract/desk-event.ts';
import type { OrderView } from '../src/contract/order-view.ts';
import type { UpdateView } from '../src/contract/update-view.ts';
import { copyTestFolder } from './copy-test-folder.ts';
import { readStream } from './read-stream.ts';
import { type RunningMerchant, runMerchant } from './run-merchant.ts';

const tokens = ['order-1', 'order-2'];

/** The words that start a desk on a folder, and the environment it needs. */
function tell(service: MockOrderService, folder: string, ...more: readonly string[]) {
  const orders = tokens.flatMap((token) => ['--order', token]);
  const words = ['--base-url', service.url, ...orders, '--port', '0', '--data', folder, ...more];
  return [words, { ORDERS_API_KEY: service.key }] as const;
}

async function start(...told: Parameters<typeof tell>): Promise<RunningMerchant & { readonly url: string }> {
  const merchant = runMerchant(...tell(...told));
  const [, url = ''] = await merchant.printed(/desk +(http:\S+)/);
  // The echo of the start is over, so what the order service receives from here on are updates.
  await merchant.printed(/Ctrl-C/);
  return Object.assign(merchant, { url });
}

async function post(url: string, body: object): Promise<UpdateView> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return (await answer.json()) as UpdateView;
}

const submit = (url: string, token: string, order_id: string) =>
  post(`${url}/api/orders/${token}/updates`, { id: randomUUID(), update: buildOrderUpdate({ order_id }) });

const read = async (url: string, { id }: UpdateView) =>
  ((await (await fetch(`${url}/api/updates/${id}`)).json()) as { update: UpdateView }).update;

const view = async (url: string, token: string) =>
  (await (await fetch(`${url}/api/orders/${token}`)).json()) as OrderView;

const kinds = ({ events }: OrderView) => events.map(({ event }) => event.kind);

/** Waits until the desk tells of an update, from its first event on, as it is asked for. */
async function hear(url: string, wanted: (update: UpdateView) => boolean): Promise<void> {
  for await (const { data: told } of readStream(await fetch(`${url}/api/events?after=0`))) {
    const { event } = told as Partial<NumberedEvent>;
    if (event && 'update' in event && wanted(event.update)) return;
  }
}

test('a kill while updates are on their way leaves them unknown for a person to decide, applied or not', async () => {
  await using data = await copyTestFolder();
  await using service = await startMockOrderService({ orders: tokens });
  using before = await start(service, data.folder);
  service.faults.next({ type: 'stalled_headers', applied: true }, { token: 'order-1' });
  service.faults.next({ type: 'stalled_headers', applied: false }, { token: 'order-2' });
  const away = await submit(before.url, 'order-1', 'away');
  const lost = await submit(before.url, 'order-2', 'lost');
  await service.waitForRequests(3);
  const behind = await submit(before.url, 'order-1', 'behind');
  before.kill('SIGKILL');
  await before.ended;
  expect(tokens.map((token) => service.appliedUpdates(token).length)).toEqual([1, 0]);

  using after = await start(service, data.folder);
  for (const update of [away, lost])
    expect(await read(after.url, update)).toMatchObject({
      state: 'unknown',
      decision: null,
      report: { ok: false, outcome: 'unknown', attempts: 1 },
    });
  // It stood behind another in the lane of its order, so no byte of it had left.
  expect(await read(after.url, behind)).toMatchObject({ state: 'not_sent', report: { attempts: 0 } });
  const order = await view(after.url, 'order-1');
  expect(order.undecided).toBe(1);
  expect(order.body).not.toHaveProperty('order_id');
  expect(kinds(order)).toEqual([
    'update_queued',
    'attempt_started',
    'update_queued',
    'update_settled',
    'update_settled',
  ]);
  // Nothing goes out by itself.
  expect(service.requests({ method: 'PATCH' })).toHaveLength(2);

  for (const [update, times] of [
    [away, 2],
    [lost, 1],
  ] as const) {
    await post(`${after.url}/api/updates/${update.id}/decision`, { decision: 'sent_again' });
    await hear(after.url, ({ repeats, report }) => repeats === update.id && report !== null);
    const order_id = update === away ? 'away' : 'lost';
    expect(await view(after.url, update.token)).toMatchObject({
      undecided: 0,
      body: { order_id },
      lastUpdate: { state: 'applied', repeats: update.id },
    });
    expect(service.appliedUpdates(update.token)).toHaveLength(times);
    expect(service.appliedUpdates(update.token).at(-1)).toMatchObject({ order_id });
  }
}, 60_000);

test('through the outbox, an update in flight at a kill needs review, and queued ones are sent after the restart', async () => {
  await using data = await copyTestFolder();
  await using service = await startMockOrderService({ orders: tokens });
  using before = await start(service, data.folder, '--outbox');
  const busy = { type: 'status', status: 429, headers: { 'retry-after': '2' } } as const;
  service.faults.next({ type: 'stalled_headers', applied: true }, { token: 'order-1' });
  service.faults.next(busy, { token: 'order-2' });
  const away = await submit(before.url, 'order-1', 'away');
  const behind = await submit(before.url, 'order-1', 'behind');
  const queued = await submit(before.url, 'order-2', 'queued');
  // The desk is told of an attempt that ended, so the outbox has it in its queue once more.
  await service.waitForRequests(3);
  await expect
    .poll(async () => kinds(await view(before.url, 'order-2')), { timeout: 10_000 })
    .toContain('attempt_ended');
  before.kill('SIGKILL');
  await before.ended;
  expect(service.appliedUpdates('order-2')).toEqual([]);

  using refused = runMerchant(...tell(service, data.folder));
  const { code, stderr } = await refused.ended;
  expect(code).toBe(1);
  expect(stderr).toMatch(/^merchant: 3 updates wait in the outbox of [^\n]*: start with --outbox\.\n$/);

  using after = await start(service, data.folder, '--outbox');
  await hear(after.url, ({ id, state }) => id === away.id && state === 'unknown');
  await hear(after.url, ({ id, state }) => id === queued.id && state === 'applied');
  expect(await read(after.url, away)).toMatchObject({
    decision: null,
    report: { outcome: 'unknown', attempts: 1, error: { code: 'worker_lost' } },
  });
  expect(await read(after.url, queued)).toMatchObject({ report: { attempts: 2 } });
  expect(await read(after.url, behind)).toMatchObject({ state: 'queued' });
  expect(kinds(await view(after.url, 'order-1')).toSorted()).toEqual([
    'attempt_ended',
    'attempt_started',
    'update_queued',
    'update_queued',
    'update_settled',
  ]);
  await post(`${after.url}/api/updates/${away.id}/decision`, { decision: 'discarded' });
  await hear(after.url, ({ id, state }) => id === behind.id && state === 'applied');
  for (const [token, ids] of [
    ['order-1', ['away', 'behind']],
    ['order-2', ['queued']],
  ] as const)
    expect(service.appliedUpdates(token).map(({ order_id }) => order_id)).toEqual(ids);
}, 60_000);
