import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { gzipChunks } from './gzip-chunks.ts';
import { padWithBlanks } from './pad-with-blanks.ts';

const MIB = 1_048_576;
const size = fc.oneof(
  fc.nat(100),
  fc.nat(20).map((more) => 2 * MIB - 10 + more),
);

test('pads JSON to any size, and gzip gives it back', () => {
  fc.assert(
    fc.property(fc.jsonValue(), size, (value, bytes) => {
      const text = JSON.stringify(value);
      const padded = Buffer.concat([...padWithBlanks(text, bytes)]);
      expect(padded).toHaveLength(Math.max(bytes, Buffer.byteLength(text)));
      expect(padded.toString().trimStart()).toBe(text.trimStart());
      const packed = Buffer.concat([...gzipChunks(padWithBlanks(text, bytes))]);
      expect(gunzipSync(packed).equals(padded)).toBe(true);
    }),
  );
});
