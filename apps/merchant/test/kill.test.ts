import { randomUUID } from 'node:crypto';
import { buildOrderUpdate, type OrderService, startOrderService } from '@orders/testing';
import { expect, test } from 'vitest';
import type { NumberedEvent } from '../src/contract/desk-event.ts';
import type { OrderView } from '../src/contract/order-view.ts';
import type { UpdateView } from '../src/contract/update-view.ts';
import { copyTestFolder } from './copy-test-folder.ts';
import { readStream } from './read-stream.ts';
import { type RunningMerchant, runMerchant } from './run-merchant.ts';

async function start(
  service: OrderService,
  folder: string,
): Promise<RunningMerchant & { readonly url: string }> {
  const words = ['--base-url', service.url, '--order', 'order-1', '--port', '0', '--data', folder];
  const merchant = runMerchant(words, { ORDERS_API_KEY: service.key });
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

const submit = (url: string, order_id: string) =>
  post(`${url}/api/orders/order-1/updates`, { id: randomUUID(), update: buildOrderUpdate({ order_id }) });

const read = async (url: string, id: string) =>
  ((await (await fetch(`${url}/api/updates/${id}`)).json()) as { update: UpdateView }).update;

const view = async (url: string) => (await (await fetch(`${url}/api/orders/order-1`)).json()) as OrderView;

test.each([true, false])(
  'a kill while an update is on its way leaves it unknown for a person to decide, whether it was applied or not: %s',
  async (applied) => {
    await using data = await copyTestFolder();
    await using service = await startOrderService({ orders: ['order-1'] });
    using before = await start(service, data.folder);
    service.faults.next({ fault: 'stalled_headers', applied });
    const away = await submit(before.url, 'away');
    await service.received(2);
    const behind = await submit(before.url, 'behind');
    before.kill('SIGKILL');
    await before.ended;
    expect(service.appliedTo('order-1')).toHaveLength(applied ? 1 : 0);

    using after = await start(service, data.folder);
    expect(await read(after.url, away.id)).toMatchObject({
      state: 'unknown',
      decision: null,
      report: { ok: false, outcome: 'unknown', attempts: 1 },
    });
    // It stood behind the other in the lane of its order, so no byte of it had left.
    expect(await read(after.url, behind.id)).toMatchObject({ state: 'not_sent', report: { attempts: 0 } });
    const { undecided, body, events } = await view(after.url);
    expect(undecided).toBe(1);
    expect(body).not.toHaveProperty('order_id');
    expect(events.map(({ event }) => event.kind)).toEqual([
      'update_queued',
      'attempt_started',
      'update_queued',
      'update_settled',
      'update_settled',
    ]);
    // Nothing goes out by itself.
    expect(service.requests({ method: 'PATCH' })).toHaveLength(1);

    const stream = readStream(await fetch(`${after.url}/api/events`));
    await post(`${after.url}/api/updates/${away.id}/decision`, { decision: 'sent_again' });
    for await (const { data: told } of stream) {
      const { event } = told as Partial<NumberedEvent>;
      if (event?.kind === 'update_settled') break;
    }
    expect(await view(after.url)).toMatchObject({
      undecided: 0,
      body: { order_id: 'away' },
      lastUpdate: { state: 'applied', repeats: away.id },
    });
    expect(service.appliedTo('order-1')).toHaveLength(applied ? 2 : 1);
    expect(service.appliedTo('order-1').at(-1)).toMatchObject({ order_id: 'away' });
  },
  60_000,
);
