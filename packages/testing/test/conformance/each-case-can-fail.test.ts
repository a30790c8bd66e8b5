import { expect, test } from 'vitest';
import { inFull } from '../../../../.ci/in-full.ts';
import { conformanceCases, runConformance } from '../../src/conformance.ts';
import { mistakes, startIndependentService } from './independent-service.ts';

const ids = conformanceCases.map(({ id }) => id);

test('every case has a mistake, and every mistake a case', () => {
  expect([...mistakes].sort()).toEqual([...ids].sort());
  expect(new Set(ids).size).toBe(ids.length);
});

test('a service without a mistake passes every case', async () => {
  await using service = await startIndependentService();
  const { results } = await runConformance(service.options);
  expect(results.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
  expect(results.map(({ id }) => id)).toEqual(ids);
});

/** In full, each mistake runs against every case; else against its own and every 18th from it. */
const casesFor = (id: string) => ids.filter((_, at) => inFull || (at - ids.indexOf(id)) % 18 === 0);

test.each(ids)('a service with one mistake fails in %s alone', async (id) => {
  await using service = await startIndependentService(id);
  const { results } = await runConformance({ ...service.options, only: casesFor(id) });
  const found = results.filter(({ verdict }) => verdict !== 'pass');
  expect(found.map((result) => [result.id, result.verdict])).toEqual([[id, 'fail']]);
});
