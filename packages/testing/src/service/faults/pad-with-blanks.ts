const BLOCK_BYTES = 1_048_576;

/** A text behind blanks, so many bytes in all or as many as it has itself; JSON means the same. */
export function* padWithBlanks(text: string, bytes: number): Generator<Buffer> {
  const padded = Buffer.from(text);
  let missing = bytes - padded.length;
  // The same block each time: nothing grows with the size, and who compresses may remember it.
  const block = Buffer.alloc(Math.min(BLOCK_BYTES, Math.max(missing, 0)), ' ');
  for (; missing > block.length; missing -= block.length) yield block;
  if (missing > 0) yield block.subarray(0, missing);
  yield padded;
}
