import { defineOrderUpdate, explain, OrderUpdate, type OrderUpdateSchema } from '@orders/schema';
import { compileOrderUpdate } from '@orders/schema/compile';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inFull } from '../../../../.ci/in-full.ts';
import { startMockOrderService } from '../../src/index.ts';
import { awkward, named, own, ownValues } from '../definitions.ts';
import { send } from '../send.ts';
import { type InvalidOrderUpdate, invalidOrderUpdates } from './invalid-order-updates.ts';

test.each<[string, OrderUpdateSchema, fc.Arbitrary<InvalidOrderUpdate>]>([
  ['OrderUpdate', OrderUpdate, invalidOrderUpdates()],
  ['a definition', defineOrderUpdate(named), invalidOrderUpdates(named)],
  ['a definition with awkward names', defineOrderUpdate(awkward), invalidOrderUpdates(awkward)],
  ['a definition with own fields', defineOrderUpdate(own), invalidOrderUpdates(own, ownValues)],
])('%s rejects every body with exactly its path and its code, compiled too', (_, schema, bodies) => {
  const compiled = compileOrderUpdate(schema);
  fc.assert(
    fc.property(bodies, ({ body, path, code }) => {
      expect(issuesOf(schema, body)).toEqual([{ path, code }]);
      expect(issuesOf(compiled, body)).toEqual([{ path, code }]);
    }),
    { numRuns: inFull ? 2_000 : 120 },
  );
});

test('a service responds to each that JSON carries with 422 and its issue', async () => {
  await using service = await startMockOrderService({ schema: defineOrderUpdate(named) });
  await fc.assert(
    fc.asyncProperty(
      invalidOrderUpdates(named).filter(({ json }) => json),
      async ({ body, path, code }) => {
        const { status, json } = await send(service, { body: JSON.stringify(body) });
        expect([status, json]).toMatchObject([422, { error: { issues: [{ path, code }] } }]);
      },
    ),
    { numRuns: inFull ? 200 : 30 },
  );
  expect(service.ledger).toEqual([]);
});

function issuesOf(schema: OrderUpdateSchema, body: unknown): { path: string; code: string }[] {
  const { error } = schema.safeParse(body);
  return error === undefined ? [] : explain(error).map(({ path, code }) => ({ path, code }));
}
