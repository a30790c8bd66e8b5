import { expect, test } from 'vitest';
import { contenderNames } from './contenders/contender-list.ts';
import { readScaleArguments } from './scale-arguments.ts';

const order = (...words: string[]) => {
  const wanted = readScaleArguments(words);
  if (wanted.wish !== 'run') throw new Error(JSON.stringify(wanted));
  return wanted.order;
};

test('without a word everything is measured, shown as tables, and not kept', () => {
  const { settings, ...output } = order();
  expect(settings).toMatchObject({
    only: ['drain', 'depth', 'latency', 'rate'],
    queues: contenderNames,
    processes: [1, 2, 4],
    depths: [1_000, 10_000, 100_000],
    inFlight: 32,
    fsync: true,
  });
  expect(output).toEqual({ json: false, record: undefined });
});

test('parts and queues keep the order of the tables, and each is measured once', () => {
  const { settings } = order('--only', 'rate,drain', '--queues', 'graphile,ours,graphile');
  expect(settings.only).toEqual(['drain', 'rate']);
  expect(settings.queues).toEqual(['ours', 'graphile']);
});

test('numbers are sorted, and each is measured once', () => {
  expect(order('--processes', '4,1,4').settings.processes).toEqual([1, 4]);
});

test('flags are read', () => {
  const { settings, ...output } = order('--no-fsync', '--json', '--record');
  expect(settings.fsync).toBe(false);
  expect(output).toEqual({ json: true, record: 'outbox-scale' });
  expect(order('--record', 'many-at-once').record).toBe('many-at-once');
});

test.each([
  [['--only', 'speed'], /some of drain, depth, latency, rate/],
  [['--queues', 'ours,sqs'], /some of ours-pglite, ours/],
  [['--processes', '0'], /whole number from 1 to 64/],
  [['--depths', '10,,20'], /whole number from 1/],
  [['--rounds', 'two'], /whole number from 1/],
  [['--record', '../here'], /small letters/],
  [['--speed', '1'], /unknown option '--speed'/],
  [['fast'], /too many arguments/],
])('%j is told in one line', (words, message) => {
  const wanted = readScaleArguments(words);
  expect(wanted).toMatchObject({ wish: 'none', mistake: expect.stringMatching(message) });
  expect(wanted).toMatchObject({ mistake: expect.not.stringContaining('\n') });
});

test('--help lists the options', () => {
  expect(readScaleArguments(['--help'])).toMatchObject({
    wish: 'print',
    text: expect.stringContaining('--patience'),
  });
});
