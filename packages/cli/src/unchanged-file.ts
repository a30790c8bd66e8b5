import { createHash, hash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { CommandError } from './terminal.ts';

/** What a file held when it was read first. */
export interface FileSums {
  readonly sha256: string;
  readonly bytes: number;
  /** The sum of each of its blocks. */
  readonly blocks: readonly string[];
}

const blockSize = 65_536;

export async function sumFile(file: string): Promise<FileSums> {
  const whole = createHash('sha256');
  const blocks: string[] = [];
  let bytes = 0;
  for await (const block of readBlocks(file)) {
    whole.update(block);
    blocks.push(sumOf(block));
    bytes += block.length;
  }
  return { sha256: whole.digest('hex'), bytes, blocks };
}

/**
 * Reads a file again, of which only blocks are yielded that are the same as before.
 *
 * @throws ChangedFileError at the first that is not, and where there are more or fewer.
 */
export async function* readUnchanged(file: string, { blocks }: FileSums): AsyncGenerator<Uint8Array> {
  let count = 0;
  for await (const block of readBlocks(file)) {
    if (sumOf(block) !== blocks[count]) throw new ChangedFileError(file);
    count++;
    yield block;
  }
  if (count < blocks.length) throw new ChangedFileError(file);
}

export class ChangedFileError extends CommandError {
  constructor(file: string) {
    super(`${file} was changed while it was read, and nothing of the change was sent`, 3, {
      hint: 'Restore it, and write new and fixed rows to a file of their own.',
    });
  }
}

const sumOf = (block: Uint8Array): string => hash('sha256', block, 'base64');

/** Every block but the last is full, so that the same file has the same blocks. */
async function* readBlocks(file: string): AsyncGenerator<Uint8Array> {
  await using handle = await open(file);
  let size: number;
  do {
    const block = Buffer.alloc(blockSize);
    let read: number;
    size = 0;
    do {
      ({ bytesRead: read } = await handle.read(block, size, blockSize - size));
      size += read;
    } while (read > 0 && size < blockSize);
    if (size > 0) yield block.subarray(0, size);
  } while (size === blockSize);
}
