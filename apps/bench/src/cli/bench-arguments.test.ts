import { expect, test } from 'vitest';
import { peerNames } from '../peers/peer-list.ts';
import { readBenchArguments } from './bench-arguments.ts';

const kept = { json: 'kept.json', svg: 'kept.svg' };
const read = (...words: string[]) => readBenchArguments(words, kept);
const order = (...words: string[]) => {
  const wanted = read(...words);
  if (wanted.wish !== 'run') throw new Error(JSON.stringify(wanted));
  return wanted.order;
};

test('without a word everything is measured, and kept', () => {
  const { settings, ...files } = order();
  expect(settings).toMatchObject({
    rounds: 9,
    carts: [2, 100, 1_000],
    peers: peerNames,
    requests: undefined,
  });
  expect(files).toEqual(kept);
});

test('a part of a run does not take the place of a whole one', () => {
  for (const part of [['--quick'], ['--rounds', '1'], ['--peers', 'ours'], ['--carts', '2']]) {
    expect(order(...part)).toMatchObject({ json: undefined, svg: undefined });
  }
  expect(order('--quick', '--svg', 'my.svg')).toMatchObject({ json: undefined, svg: 'my.svg' });
});

test('a whole run may be written elsewhere', () => {
  expect(order('--json', 'my.json')).toMatchObject({ json: 'my.json', svg: 'kept.svg' });
});

test('undici.request takes part, whoever is named', () => {
  expect(order('--peers', 'axios,ours').settings.peers).toEqual(['request', 'ours', 'axios']);
});

test('carts are sorted, and each is measured once', () => {
  expect(order('--carts', '100,2,2').settings.carts).toEqual([2, 100]);
});

test.each([
  [['--peers', 'ours,wget'], /some of dispatch, request/],
  [['--rounds', '0'], /whole number from 1/],
  [['--carts', '2,,3'], /whole number from 1/],
  [['--round', '1'], /unknown option '--round'/],
  [['fast'], /too many arguments/],
  [['--json'], /argument missing/],
])('%j is told in one line', (words, message) => {
  const wanted = read(...words);
  expect(wanted).toMatchObject({ wish: 'none', mistake: expect.stringMatching(message) });
  expect(wanted).toMatchObject({ mistake: expect.not.stringContaining('\n') });
});

test('--help lists the options', () => {
  expect(read('--help')).toMatchObject({ wish: 'print', text: expect.stringContaining('--quick') });
});
