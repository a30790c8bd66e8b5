import { createOrdersClient } from '@orders/client';
import { expect } from 'vitest';
import { writtenScreen } from '../../test/bin/written-screen.ts';
import { onPglite, step, until } from '../../test/scene.ts';
import type { Outbox } from '../outbox.ts';
import { type Operations, operationsOf } from './operations.ts';
import { listDead } from './run-dead.ts';
import { decide } from './run-decide.ts';

const operate = (outbox: Outbox): Operations => operationsOf(outbox, { place: 'here', isAlone: true });
const both = { states: ['parked', 'rejected'] } as const;

onPglite('sends all again by one command after a wrong key, and nothing else', async (scene) => {
  const { open, service } = scene;
  const wrong = createOrdersClient({ baseUrl: service.url, apiKey: 'wrong' });
  const mistaken = await open({ client: wrong });
  for (const { token } of service.orders) await mistaken.enqueue(token, step(1));
  service.faults.next({ type: 'status', status: 400 });
  await mistaken.work();
  await until('all are rejected', async () => (await mistaken.counts()).rejected === 12);
  await mistaken.close();
  await wrong.close();

  const outbox = await open();
  const screen = writtenScreen();
  const which = { states: ['rejected'], code: '401' } as const;
  const drawn: string[] = [];
  const progress = Object.assign((text: string) => void drawn.push(text), {
    clear: () => void drawn.push('cleared'),
  });
  expect(await decide(operate(outbox), { wish: 'retry', which, asJson: false }, screen, progress)).toBe(true);
  expect(drawn[0]).toBe('Updates queued again: 1 so far.');
  expect(drawn.at(-1)).toBe('cleared');
  expect(screen).toMatchObject({ printed: ['Updates queued again: 11.\n'], complaints: [] });
  await outbox.work();
  await outbox.drain();
  expect(await outbox.counts()).toMatchObject({ applied: 11, rejected: 1 });
});

onPglite('tries each once although the service refuses it again', async ({ open, service }) => {
  const outbox = await open();
  service.faults.always({ type: 'status', status: 401 });
  for (const { token } of service.orders) await outbox.enqueue(token, step(1));
  await outbox.work();
  await outbox.drain();
  const screen = writtenScreen();
  await decide(operate(outbox), { wish: 'retry', which: both, asJson: true }, screen);
  const { retried, failed } = JSON.parse(screen.printed.join(''));
  expect(new Set(retried).size).toBe(12);
  expect(retried).toHaveLength(12);
  expect(failed).toEqual([]);
  await outbox.drain();
  expect(service.journal).toHaveLength(24);
});

onPglite('does what it can, and names each that it cannot', async ({ open, service, token }) => {
  const outbox = await open();
  service.faults.next({ type: 'status', status: 400 });
  const rejected = await outbox.enqueue(token, step(1));
  await outbox.work();
  await outbox.drain();
  const screen = writtenScreen();
  const which = ['nobody', rejected];
  expect(await decide(operate(outbox), { wish: 'discard', which, asJson: false }, screen)).toBe(false);
  expect(screen.printed).toEqual([`${rejected} of order ${token} is discarded.\n`]);
  expect(screen.complaints).toEqual(['unknown_update: There is no update nobody in this outbox.']);
  expect(await decide(operate(outbox), { wish: 'retry', which: [rejected], asJson: true }, screen)).toBe(
    false,
  );
  expect(JSON.parse(screen.printed[1] ?? '')).toEqual({
    retried: [],
    failed: [{ id: rejected, code: 'nothing_to_decide', message: expect.stringContaining('is discarded') }],
  });
});

onPglite('lists what waits, as far as it is asked to', async ({ open, service }) => {
  const outbox = await open();
  const [first, second, third] = service.orders;
  for (const order of [first, second]) {
    service.faults.next({ type: 'status', status: 400 }, { token: order?.token ?? '' });
  }
  service.faults.next({ type: 'status', status: 500 }, { token: third?.token ?? '' });
  const ids: string[] = [];
  for (const order of [first, second, third]) ids.push(await outbox.enqueue(order?.token ?? '', step(1)));
  await outbox.work();
  await outbox.drain();
  const list = async (options: Parameters<typeof listDead>[1]) => {
    const screen = writtenScreen();
    await listDead(operate(outbox), options, screen);
    return screen.printed.join('');
  };
  const parked = JSON.parse(await list({ filter: { states: ['parked'] }, limit: 9, asJson: true }));
  expect(parked).toMatchObject([{ id: ids[2], state: 'parked', code: 'http_error', status: 500 }]);
  const two = await list({ filter: both, limit: 2, asJson: false });
  expect(two).toContain(ids[0]);
  expect(two).toContain(ids[1]);
  expect(two).not.toContain(ids[2]);
  expect(two).toMatch(/These are the oldest 2; --limit shows more\.\n$/);
  expect(await list({ filter: both, limit: 3, asJson: false })).not.toContain('--limit');
  const none = { filter: { ...both, code: 'timeout' }, limit: 3 };
  expect(await list({ ...none, asJson: false })).toMatch(
    /^No update of these waits .* lists the others\.\n$/,
  );
  expect(await list({ ...none, asJson: true })).toBe('[]\n');
  for (const id of ids) await outbox.discard(id);
  expect(await list({ filter: both, limit: 3, asJson: false })).toBe('No update waits for a decision.\n');
});
