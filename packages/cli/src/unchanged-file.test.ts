import { writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFolder } from '../test/run-orders.ts';
import { ChangedFileError, readUnchanged, sumFile } from './unchanged-file.ts';

/** Bytes of a length at which blocks end, or of some other. */
const contents = fc
  .tuple(fc.constantFrom(0, 1, 65_535, 65_536, 65_537, 131_072, 150_000), fc.nat({ max: 255 }))
  .map(([length, first]) => Buffer.from(Array.from({ length }, (_, place) => (first + place * 7) % 256)));

const change = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), at: fc.nat({ max: 150_000 }) }),
  fc.record({ kind: fc.constant('remove' as const), at: fc.nat({ max: 150_000 }) }),
  fc.record({ kind: fc.constant('insert' as const), at: fc.nat({ max: 150_000 }) }),
  fc.record({ kind: fc.constant('nothing' as const), at: fc.constant(0) }),
);

function apply(bytes: Buffer, { kind, at }: { readonly kind: string; readonly at: number }): Buffer {
  const place = Math.min(at, bytes.length);
  if (kind === 'insert')
    return Buffer.concat([bytes.subarray(0, place), Buffer.of(1), bytes.subarray(place)]);
  if (kind === 'remove') return Buffer.concat([bytes.subarray(0, place), bytes.subarray(place + 1)]);
  if (kind === 'set') return Buffer.from(bytes.map((byte, index) => (index === place ? byte ^ 1 : byte)));
  return bytes;
}

test('of a file that changes, only what is as before is read again, and the change is an error', async () => {
  await using folder = await createFolder();
  const file = folder.file('file');
  await fc.assert(
    fc.asyncProperty(contents, change, async (before, made) => {
      await writeFile(file, before);
      const sums = await sumFile(file);
      const after = apply(before, made);
      await writeFile(file, after);
      const read: Uint8Array[] = [];
      let error: unknown;
      try {
        for await (const block of readUnchanged(file, sums)) read.push(block);
      } catch (thrown) {
        error = thrown;
      }
      const bytes = Buffer.concat(read);
      expect(sums.bytes).toBe(before.length);
      expect(bytes.equals(before.subarray(0, bytes.length))).toBe(true);
      if (after.equals(before)) expect([error, bytes.length]).toEqual([undefined, before.length]);
      else expect(error).toBeInstanceOf(ChangedFileError);
    }),
    { numRuns: 60 },
  );
});
