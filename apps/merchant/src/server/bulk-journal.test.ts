import { expect, test } from 'vitest';
import type { BulkSteps } from '../storage/bulk-records.ts';
import { createBulkJournal } from './bulk-journal.ts';

const settled = (row: number) => ({ row, state: 'applied' as const, issues: [] });

test('writes together what gathers while another write runs, and keeps the order', async () => {
  const writes: BulkSteps[] = [];
  const first = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const journal = createBulkJournal((steps) => {
    writes.push(steps);
    begun.resolve();
    return writes.length === 1 ? first.promise : Promise.resolve();
  });
  const marks = [journal.mark(1), journal.mark(2)];
  await begun.promise;
  marks.push(journal.mark(3));
  journal.settle(settled(1));
  marks.push(journal.mark(4));
  expect(writes).toEqual([{ marked: [1, 2], settled: [] }]);
  first.resolve();
  await Promise.all(marks);
  await journal.flush();
  expect(writes).toEqual([
    { marked: [1, 2], settled: [] },
    { marked: [3, 4], settled: [settled(1)] },
  ]);
});

test('a mark resolves once it is written, and not before', async () => {
  const write = Promise.withResolvers<void>();
  const journal = createBulkJournal(() => write.promise);
  let isMarked = false;
  const mark = journal.mark(1).then(() => {
    isMarked = true;
  });
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  expect(isMarked).toBe(false);
  write.resolve();
  await mark;
  expect(isMarked).toBe(true);
});

test('a write that fails tells those who wait for it, and holds nothing later back', async () => {
  let writes = 0;
  const journal = createBulkJournal(async () => {
    writes++;
    if (writes === 1) throw new Error('The disk is full.');
  });
  await expect(journal.mark(1)).rejects.toThrow('full');
  await journal.mark(2);
  journal.settle(settled(2));
  await journal.flush();
  expect(writes).toBe(3);
});
