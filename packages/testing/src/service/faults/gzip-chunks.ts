import { constants, crc32, deflateRawSync } from 'node:zlib';

/** No file name, no time, no system (RFC 1952, 2.3). */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
/** An empty block that is the last one (RFC 1951, 3.2.3). */
const END = Buffer.from([3, 0]);

/** Compresses chunks to one gzip stream, each different chunk once however often it comes, so a bomb costs little. */
export function* gzipChunks(chunks: Iterable<Buffer>): Generator<Buffer> {
  const deflated = new Map<Buffer, Buffer>();
  let checksum = 0;
  let size = 0;
  yield HEADER;
  for (const chunk of chunks) {
    checksum = crc32(chunk, checksum);
    size += chunk.length;
    // A full flush ends on a whole byte and refers to nothing before, so the pieces can be put side by side.
    const piece = deflated.get(chunk) ?? deflateRawSync(chunk, { finishFlush: constants.Z_FULL_FLUSH });
    deflated.set(chunk, piece);
    yield piece;
  }
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(checksum, 0);
  trailer.writeUInt32LE(size % 2 ** 32, 4);
  yield Buffer.concat([END, trailer]);
}
