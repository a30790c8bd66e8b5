import { once } from 'node:events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inFull } from '../../../../.ci/in-full.ts';
import { openSocket } from '../../test/open-socket.ts';
import { rawUpdate } from '../../test/raw-update.ts';
import type { Fault } from './fault.ts';
import { type MockOrderService, startMockOrderService } from './mock-order-service.ts';

/** The faults that apply an update by default. */
const applying: readonly Fault[] = [
  { type: 'none' },
  { type: 'reset_after_applying' },
  { type: 'stalled_headers' },
  { type: 'status', status: 200 },
  { type: 'status', status: 299 },
  { type: 'empty' },
  { type: 'no_content' },
  { type: 'invalid_json' },
  { type: 'latency', ms: 1 },
  { type: 'stalled_body' },
  { type: 'slow_drip' },
  { type: 'truncation' },
  { type: 'oversize' },
  { type: 'gzip_bomb' },
  { type: 'close_after_response' },
];
const notApplying: readonly Fault[] = [
  { type: 'reset_before_body' },
  { type: 'reset_before_applying' },
  { type: 'garbage' },
  { type: 'restart', downMs: 0 },
  { type: 'status', status: 300 },
  { type: 'status', status: 409 },
  { type: 'status', status: 503 },
  { type: 'redirect' },
  { type: 'wrong_media_type' },
];
const faults = [...applying, ...notApplying];

interface Step {
  readonly token: string;
  readonly body: { readonly cart: object | string; readonly order_id: string };
  readonly fault: Fault;
  /** Overrides the default, where the fault allows that. */
  readonly applied: boolean | undefined;
}

const isFixed = ({ type }: Fault) => type === 'none' || type.startsWith('reset_');

/** The service in five lines: the updates that it applies to one order. */
function model(steps: readonly Step[], wanted: string): unknown[] {
  const isApplied = ({ fault, applied }: Step) =>
    isFixed(fault) ? applying.includes(fault) : (applied ?? applying.includes(fault));
  const updates = steps.filter(
    (step) => step.token === wanted && isApplied(step) && step.body.cart !== 'none',
  );
  return updates.map(({ body }) => body);
}

/** Tries until there is a connection, since the service may be restarting. */
async function connectTo(service: MockOrderService, text: string): ReturnType<typeof openSocket> {
  return openSocket(service, text).catch(() => connectTo(service, text));
}

async function expectModel(steps: readonly Step[]): Promise<void> {
  await using service = await startMockOrderService({ orders: ['a', 'b'] });
  for (const [index, { token, body, fault, applied }] of steps.entries()) {
    const given = isFixed(fault) || applied === undefined ? fault : ({ ...fault, applied } as Fault);
    service.faults.next(given, { token });
    const { url, key } = service;
    const socket = await connectTo(service, rawUpdate({ url, key, token }, body));
    await service.waitForRequests(index + 1);
    socket.destroy();
    await once(socket, 'close');
    const met = fault.type === 'none' ? undefined : given;
    expect(service.journal[index]?.fault).toEqual(met);
    if (met) expect(service.faults.played.at(-1)).toEqual({ fault: met, requestId: `req_${index + 1}` });
  }
  for (const token of ['a', 'b']) {
    const bodies = model(steps, token);
    expect(service.appliedUpdates(token)).toEqual(bodies);
    const data = Object.assign({}, ...bodies);
    expect(service.order(token)).toEqual({ token, revision: bodies.length, data });
  }
  const ids = new Set(service.journal.map(({ requestId }) => requestId));
  expect(service.ledger.every(({ requestId }) => ids.has(requestId))).toBe(true);
}

test.each(faults)('the ledger has a valid update that meets %j exactly if it is applied', async (fault) => {
  const valid = { token: 'a', fault, body: { cart: {}, order_id: 'x' } };
  await expectModel([
    { ...valid, applied: undefined },
    { ...valid, applied: true },
    { ...valid, applied: false },
    { ...valid, body: { cart: 'none', order_id: 'x' }, applied: true },
  ]);
});

test('the ledger agrees with a model after any faults in sequence', async () => {
  const step: fc.Arbitrary<Step> = fc.record({
    token: fc.constantFrom('a', 'b'),
    body: fc.record({
      cart: fc.constantFrom({}, { items: [] }, 'none'),
      order_id: fc.string({ maxLength: 5 }),
    }),
    fault: fc.constantFrom(...faults),
    applied: fc.constantFrom(undefined, true, false),
  });
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 8 }), expectModel), {
    numRuns: inFull ? 1_000 : 40,
  });
});
