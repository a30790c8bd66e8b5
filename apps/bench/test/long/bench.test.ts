import { expect, test } from 'vitest';
import { measureAll, quick } from '../../src/client/measure.ts';
import { buildReport } from '../../src/client/report.ts';
import { formatReport } from '../../src/report.ts';

test('every client sends the same request and parses the same response; a tiny run reports all it measures', async () => {
  const settings = { ...quick, rounds: 1, turnMs: 1, warmUpMs: 1, carts: [2] };
  const report = buildReport(await measureAll(settings, () => {}));
  const text = formatReport('Tiny', report);
  for (const title of ['a cart of 2 lines (811 bytes)', 'Validating', 'Import', 'Targets']) {
    expect(text).toContain(title);
  }
  // A cart of 1,000 lines was not measured.
  expect(report.targets.map(({ figure }) => figure > 0)).toEqual([true, true, true, true, true]);
});
