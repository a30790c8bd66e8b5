import { expect, test } from 'vitest';
import type { Lab } from '../lab/lab.ts';
import type { Row } from './row.ts';
import { runRows } from './run-rows.ts';

const row = (name: string, run: Row['run']): Row => ({ name, redWhen: [], run });
const labOf = (signal: AbortSignal): Lab => ({ signal }) as Lab;

test('gives results in the order of the rows, and goes on after one that fails', async () => {
  const done: string[] = [];
  const results = await runRows(
    [
      row('slow', () => new Promise((resolve) => setImmediate(resolve, 'at last'))),
      row('broken', () => Promise.reject(new Error('no'))),
      row('quick', async () => 'at once'),
    ],
    labOf(new AbortController().signal),
    ({ row }) => done.push(row.name),
  );
  expect(results.map(({ told, reason }) => told ?? reason)).toEqual(['at last', 'no', 'at once']);
  expect(done).toHaveLength(3);
});

test('starts no row once it is stopped, and says so', async () => {
  const results = await runRows(
    [row('never', () => Promise.reject(new Error('it was started')))],
    labOf(AbortSignal.abort(new Error('Stopped.'))),
    () => {},
  );
  expect(results.map(({ reason }) => reason)).toEqual(['Stopped.']);
});
