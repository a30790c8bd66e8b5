import { stripVTControlCharacters, styleText } from 'node:util';
import { expect, test } from 'vitest';
import { drawStatus } from './draw-status.ts';

const at = new Date('2026-11-21T12:00:00Z');
const sight = {
  place: '.orders-outbox',
  at,
  backlog: {
    queued: 12,
    sending: 3,
    parked: 0,
    rejected: 2,
    oldestQueuedAt: new Date(at.getTime() - 150_000),
    lanes: { waiting: 9, active: 3, held: 1 },
    pausedUntil: new Date(at.getTime() + 12_000),
  },
};
const plain = (text: string): string => text;

function rowsOf(drawing: string) {
  return drawing
    .split('\n')
    .filter((line) => line.startsWith('│'))
    .map((line) => line.split('│').map((cell) => cell.trim()));
}

test('draws every state with its count, and what a person should know of it', () => {
  const drawing = drawStatus(sight, plain);
  expect(rowsOf(drawing).map(([, name, count]) => [name, count])).toEqual([
    ['updates queued', '12'],
    ['updates sending', '3'],
    ['updates parked', '0'],
    ['updates rejected', '2'],
    ['orders waiting', '9'],
    ['orders at work', '3'],
    ['orders held', '1'],
  ]);
  expect(drawing).toContain('the oldest for 2 min');
  expect(drawing).toMatch(/rejected.*orders-outbox dead/);
  expect(drawing).not.toMatch(/parked.*orders-outbox dead/);
  expect(drawing).toContain('Paused for 12 s');
  expect(drawing).toContain('The outbox in .orders-outbox, 2026-11-21 12:00:00 UTC');
});

test('fits a terminal of 80 columns, and draws as many lines whatever the counts', () => {
  const busy = { ...sight, backlog: { ...sight.backlog, queued: 9_999_999, parked: 9_999_999 } };
  const lines = drawStatus(busy, plain).split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(lines).toHaveLength(drawStatus(sight, plain).split('\n').length);
});

test('is the same table in colours', () => {
  const paint = (text: string): string => styleText('red', text, { validateStream: false });
  const drawing = drawStatus(sight, paint);
  expect(drawing).toContain('\u001b[31m');
  expect(stripVTControlCharacters(drawing)).toBe(drawStatus(sight, plain));
});

test('shows a note, and nothing that a terminal would obey', () => {
  const drawing = drawStatus({ ...sight, note: 'away\u001b[2J\nnow' }, plain);
  expect(drawing).toContain('away [2J now');
});
