import { expect, test } from 'vitest';
import { openSocket } from '../../../test/open-socket.ts';
import { rawUpdate } from '../../../test/raw-update.ts';
import { startOrderService } from '../order-service.ts';
import type { Fault } from './fault.ts';

/** What becomes of an update when the fault does not say. */
const defaults: readonly (readonly [Fault, boolean])[] = [
  [{ fault: 'reset_before_body' }, false],
  [{ fault: 'reset_before_applying' }, false],
  [{ fault: 'reset_after_applying' }, true],
  [{ fault: 'stalled_headers' }, true],
  [{ fault: 'garbage' }, false],
  [{ fault: 'restart' }, false],
  [{ fault: 'status', status: 200 }, true],
  [{ fault: 'status', status: 299 }, true],
  [{ fault: 'status', status: 300 }, false],
  [{ fault: 'status', status: 409 }, false],
  [{ fault: 'status', status: 503 }, false],
  [{ fault: 'redirect' }, false],
  [{ fault: 'empty' }, true],
  [{ fault: 'no_content' }, true],
  [{ fault: 'invalid_json' }, true],
  [{ fault: 'wrong_media_type' }, false],
  [{ fault: 'latency', ms: 1 }, true],
  [{ fault: 'stalled_body' }, true],
  [{ fault: 'slow_drip' }, true],
  [{ fault: 'truncation' }, true],
  [{ fault: 'oversize' }, true],
  [{ fault: 'gzip_bomb' }, true],
  [{ fault: 'close_after_answer' }, true],
];

const isFree = ([fault]: (typeof defaults)[number]) => !fault.fault.startsWith('reset_');
const given = defaults
  .filter(isFree)
  .flatMap(([fault]) => [true, false].map((applied) => [{ ...fault, applied } as Fault, applied] as const));

test.each([...defaults, ...given])('tells by the ledger whether %j applies: %j', async (fault, applied) => {
  await using service = await startOrderService();
  service.faults.next(fault);
  const socket = await openSocket(service);
  socket.write(rawUpdate(service, { cart: {}, order_id: 'a' }));
  await service.received(1);
  expect(service.appliedTo(service.token)).toEqual(applied ? [{ cart: {}, order_id: 'a' }] : []);
  expect(service.order(service.token)?.revision).toBe(applied ? 1 : 0);
  expect(service.journal).toMatchObject([{ requestId: 'req_1', fault }]);
  expect(service.faults.played).toEqual([{ fault, requestId: 'req_1' }]);
  socket.destroy();
});

test.each(defaults.filter(isFree))('never applies what would be refused, not even with %j', async (fault) => {
  await using service = await startOrderService();
  service.faults.next({ ...fault, applied: true } as Fault);
  const socket = await openSocket(service);
  socket.write(rawUpdate(service, { cart: 'none' }));
  await service.received(1);
  expect(service.ledger).toEqual([]);
  socket.destroy();
});
