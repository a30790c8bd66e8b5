import { once } from 'node:events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inFull } from '../../../test/in-full.ts';
import { openSocket } from '../../../test/open-socket.ts';
import { rawUpdate } from '../../../test/raw-update.ts';
import { type OrderService, startOrderService } from '../order-service.ts';
import type { Fault } from './fault.ts';

interface Step {
  readonly token: string;
  readonly body: { readonly cart: object | string; readonly order_id: string };
  readonly fault: Fault;
}

/** What each fault that does not say so itself does to an update. */
const applying: readonly Fault['fault'][] = [
  'none',
  'reset_after_applying',
  'stalled_headers',
  'empty',
  'no_content',
  'invalid_json',
  'latency',
  'stalled_body',
  'slow_drip',
  'truncation',
  'oversize',
  'gzip_bomb',
  'close_after_answer',
];
const others: readonly Fault['fault'][] = [
  'reset_before_body',
  'reset_before_applying',
  'garbage',
  'restart',
  'redirect',
  'wrong_media_type',
];
const fixed = ['none', 'reset_before_body', 'reset_before_applying', 'reset_after_applying'];

/** The service in ten lines: what each order's updates come to. */
function model(steps: readonly Step[]): Map<string, unknown[]> {
  const applied = new Map<string, unknown[]>([
    ['a', []],
    ['b', []],
  ]);
  for (const { token, body, fault } of steps) {
    const says = 'applied' in fault ? fault.applied : undefined;
    const isApplied =
      says ?? (fault.fault === 'status' ? fault.status < 300 : applying.includes(fault.fault));
    if (isApplied && typeof body.cart === 'object') applied.get(token)?.push(body);
  }
  return applied;
}

const applied = fc.option(fc.boolean(), { nil: undefined });
const plainFault = fc
  .record({ fault: fc.constantFrom(...applying, ...others), applied })
  .map(({ fault, applied }) => {
    const more = fault === 'latency' ? { ms: 0 } : fault === 'restart' ? { downMs: 0 } : {};
    const says = applied === undefined || fixed.includes(fault) ? {} : { applied };
    return { fault, ...more, ...says } as Fault;
  });
const statusFault = fc
  .record({ status: fc.constantFrom(200, 202, 302, 400, 409, 429, 500, 503), applied })
  .map(({ status, applied }): Fault => {
    return { fault: 'status', status, ...(applied === undefined ? {} : { applied }) };
  });
const anyStep: fc.Arbitrary<Step> = fc.record({
  token: fc.constantFrom('a', 'b'),
  body: fc.record({
    cart: fc.constantFrom({}, { items: [] }, 'none'),
    order_id: fc.string({ maxLength: 5 }),
  }),
  fault: fc.oneof(plainFault, statusFault),
});

/** Tries until there is a connection, since the service may be restarting. */
async function connectTo(service: OrderService): ReturnType<typeof openSocket> {
  return openSocket(service).catch(() => connectTo(service));
}

async function take({ token, body, fault }: Step, service: OrderService): Promise<void> {
  service.faults.next(fault, { token });
  const before = service.journal.length;
  const socket = await connectTo(service);
  const { url, key } = service;
  socket.write(rawUpdate({ url, key, token }, body));
  await service.received(before + 1);
  socket.destroy();
  await once(socket, 'close');
}

test('agrees with a model about what was applied, whatever went wrong', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 8 }), async (steps) => {
      await using service = await startOrderService({ orders: ['a', 'b'] });
      for (const step of steps) await take(step, service);
      for (const [token, bodies] of model(steps)) {
        expect(service.appliedTo(token)).toEqual(bodies);
        const data = Object.assign({}, ...bodies);
        expect(service.order(token)).toEqual({ token, revision: bodies.length, data });
      }
      const ids = new Set(service.journal.map(({ requestId }) => requestId));
      expect(service.ledger.every(({ requestId }) => ids.has(requestId))).toBe(true);
    }),
    { numRuns: inFull ? 1_000 : 150 },
  );
});
