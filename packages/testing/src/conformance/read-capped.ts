import type { ConformanceFetchAnswer } from './conformance-fetch.ts';
import { until } from './until.ts';

/** Reads a body until its end, or until more than `maxBytes` have come, which are then given up. */
export async function readCapped(
  body: ConformanceFetchAnswer['body'],
  { maxBytes, stop }: { readonly maxBytes: number; readonly stop: AbortSignal },
): Promise<{ readonly bytes: Buffer; readonly isWhole: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = body?.getReader();
  while (reader !== undefined) {
    const { done, value } = await until(stop, async () => reader.read());
    if (done) break;
    if (value !== undefined) chunks.push(value);
    size += value?.length ?? 0;
    if (size > maxBytes) {
      // Nobody waits for the end of what is not read.
      reader.cancel().catch(() => {});
      return { bytes: Buffer.concat(chunks, maxBytes), isWhole: false };
    }
  }
  return { bytes: Buffer.concat(chunks), isWhole: true };
}
