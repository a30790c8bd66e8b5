import { expect, test } from 'vitest';
import { runHere } from '../../test/run-here.ts';

test.each([
  ['retry', 'Write the ids of updates, or --all. To see them: orders outbox list --folder none'],
  ['retry a --all', 'Write either ids or --all.'],
  ['discard a --code timeout', '--needs-review, --rejected and --code need --all.'],
  ['resolve', 'Write the ids of updates, or --all'],
  ['show', "missing required argument 'id'"],
  ['show a b', 'too many arguments'],
  ['list --limit 0', '--limit'],
  ['start --rate 0', 'Write a number above 0'],
  ['start --concurrency 1.5', 'whole number'],
  ['start --grace 10', 'such as 500ms, 30s, 5m, 2h or 7d.'],
  ['start --grace 25d', 'at most 24d'],
  ['start --keep-settled 40000d', 'at most 36500d'],
  ['start --on-unknown maybe', 'review, resend'],
  ['start --on-rejected maybe', 'continue, hold'],
  ['start --burst 3', '--burst needs --rate.'],
  ['start --no-metrics --metrics-port 1', 'cannot be used with'],
  ['start --metrics-port 65536', 'Write a whole number from 0 to 65535.'],
  ['start --database-url postgres://me:sekret@x/y', 'cannot be used with'],
  ['start', 'Where is the service? Set ORDERS_BASE_URL'],
  ['start --base-url http://localhost', 'Set ORDERS_API_KEY'],
])('refuses "outbox %s" in one line that shows no secret', async (line, message) => {
  const { code, stdout, stderr } = await runHere(['outbox', ...line.split(' '), '--folder', 'none']);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^orders: [^\n]+\n$/);
  expect(stderr).toContain(message);
  expect(stderr).not.toContain('sekret');
});
