import { expect, test } from 'vitest';
import { formatLogEntry, type LogEntry } from './log-entry.ts';

const at = new Date('2026-11-21T12:00:00Z');
const entries: readonly (readonly [LogEntry, string, string])[] = [
  [
    { event: 'working', place: 'here', to: 'https://api.example.com', observe: 'http://127.0.0.1:4011' },
    'info',
    'working on here, sending to https://api.example.com, metrics at http://127.0.0.1:4011/metrics',
  ],
  [{ event: 'working', place: 'here', to: './own.js' }, 'info', 'working on here, sending to ./own.js'],
  [{ event: 'warning', message: 'the\ndatabase\u001b[31m' }, 'warn', 'warning: the database [31m'],
  [
    { event: 'parked', id: 'an-id', order: 'ord_1', code: 'timeout' },
    'warn',
    'parked: an-id of order ord_1, timeout',
  ],
  [
    { event: 'rejected', id: 'an-id', order: 'ord_1', code: 'http_error', status: 401 },
    'warn',
    'rejected: an-id of order ord_1, http_error 401',
  ],
  [
    { event: 'stopping', signal: 'SIGTERM', graceSeconds: 10 },
    'info',
    'stopping on SIGTERM: what is on its way has 10 s',
  ],
  [
    { event: 'stopped', applied: 5, rejected: 4, parked: 3, discarded: 2, queued: 1 },
    'info',
    'stopped: 5 applied, 4 rejected, 3 parked, 2 discarded, 1 put back to be sent again',
  ],
];

test.each(entries)('tells %j in one line', (entry, level, text) => {
  expect(formatLogEntry(entry, at, false)).toBe(`2026-11-21T12:00:00.000Z ${text}\n`);
  const line = formatLogEntry(entry, at, true);
  expect(line).toMatch(/^[^\n]+\n$/);
  expect(JSON.parse(line)).toEqual({ time: at.toISOString(), level, ...entry });
});
