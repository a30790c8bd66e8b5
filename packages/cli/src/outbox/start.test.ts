import { expect, test } from 'vitest';
import { formatLogEntry, type LogEntry, shared } from './start.ts';

test.each<[LogEntry, string, string]>([
  [
    { event: 'started', store: 'PostgreSQL at db:5432', target: './own.js', metrics: undefined },
    'info',
    'started store="PostgreSQL at db:5432" target=./own.js',
  ],
  [{ event: 'warning', message: 'the\ndatabase' }, 'warn', String.raw`warning message="the\ndatabase"`],
  [
    { event: 'rejected', id: 'an-id', token: 'ord_1', code: 'http_error', status: 401 },
    'warn',
    'rejected id=an-id token=ord_1 code=http_error status=401',
  ],
])('logs %j in one line', (entry, level, text) => {
  const at = new Date('2026-11-21T12:00:00Z');
  expect(formatLogEntry(entry, at, false)).toBe(`2026-11-21T12:00:00.000Z ${text}`);
  const line = formatLogEntry(entry, at, true);
  expect(line).not.toContain('\n');
  expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify({ time: at, level, ...entry })));
});

test('those who call at one time share one call, which may hang', async () => {
  const calls: PromiseWithResolvers<number>[] = [];
  const read = shared(() => {
    calls.push(Promise.withResolvers());
    return calls.at(-1)?.promise as Promise<number>;
  }, 30);
  await expect(Promise.all([read(), read()])).rejects.toThrow('no response within 0.03 s');
  await expect(read()).rejects.toThrow('no response');
  expect(calls).toHaveLength(1);
  const late = read();
  calls[0]?.resolve(7);
  expect(await late).toBe(7);
  void read().catch(() => {});
  expect(calls).toHaveLength(2);
});
