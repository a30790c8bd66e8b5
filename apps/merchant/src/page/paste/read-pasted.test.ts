import { expect, test } from 'vitest';
import { maxPastedBytes, readPasted, readPastedFile } from './read-pasted.ts';

test('takes as much as one update may hold, and nothing of more', async () => {
  const most = 'a'.repeat(maxPastedBytes);
  expect(readPasted(most, { isTidied: false })).toEqual({ text: most });
  expect(readPasted(`${most}a`, { isTidied: false })).toEqual({ problem: expect.stringContaining('1 MiB') });
  expect(readPasted('æ'.repeat(maxPastedBytes / 2 + 1), { isTidied: true })).not.toHaveProperty('text');
  expect(await readPastedFile(new Blob([most]))).toEqual({ text: most });
  expect(await readPastedFile(new Blob([most, 'a']))).toEqual({ problem: expect.stringContaining('1 MiB') });
});

test('sets JSON on one long line out when it is pasted, and not while it is typed', () => {
  const long = JSON.stringify({ cart: { items: Array(50).fill({ sku: 'a' }) } });
  expect(readPasted(long, { isTidied: true }).text?.split('\n').length).toBeGreaterThan(100);
  expect(readPasted(long, { isTidied: false })).toEqual({ text: long });
  expect(readPasted('{"cart":{}}', { isTidied: true })).toEqual({ text: '{"cart":{}}' });
});

test('passes over the mark at the start of a file, and refuses a file that is no text', async () => {
  expect(await readPastedFile(new Blob(['\ufeff{}']))).toEqual({ text: '{}' });
  expect(await readPastedFile(new Blob([new Uint8Array([0xff, 0xfe, 0x7b])]))).toEqual({
    problem: 'The file could not be read.',
  });
});
