import type { FileIssue } from './file-row.ts';

/** Why a file, or the rest of it, cannot be read. */
export class FileFault extends Error {
  readonly hint: string | undefined;
  /** Where it is, if not where reading stopped. */
  readonly position: { readonly row?: number; readonly line?: number; readonly column?: number };

  constructor(message: string, hint?: string, position: FileFault['position'] = {}) {
    super(message);
    this.hint = hint;
    this.position = position;
  }

  /** As an issue, where reading stopped. */
  toIssue(stopped: { readonly row: number; readonly line: number }): FileIssue {
    const { message, hint, position } = this;
    return {
      code: 'malformed',
      path: '',
      ...stopped,
      ...position,
      message,
      ...(hint !== undefined && { hint }),
    };
  }
}

/** Files that a spreadsheet, a browser or an archiver writes, and that are no text. */
const otherFiles: readonly (readonly [start: readonly number[], name: string])[] = [
  [[0x50, 0x4b, 0x03, 0x04], 'an Excel workbook, or another archive'],
  [[0xd0, 0xcf, 0x11, 0xe0], 'an old Excel workbook'],
  [[0x1f, 0x8b], 'compressed'],
  [[0x25, 0x50, 0x44, 0x46], 'a PDF'],
  [[0xff, 0xfe, 0x00, 0x00], 'text in UTF-32'],
  [[0x00, 0x00, 0xfe, 0xff], 'text in UTF-32'],
];

const saveAsUtf8 = 'Save it as UTF-8, in a spreadsheet as "CSV UTF-8".';

/**
 * Decodes UTF-8, and UTF-16 as spreadsheets and shells of Windows write it. What comes before a fault is yielded first.
 *
 * @throws FileFault when the bytes are in another encoding, since names in it would change unnoticed, or no text.
 */
export async function* decodeText(bytes: FileBytes): AsyncGenerator<string> {
  let start: Uint8Array = new Uint8Array();
  let decode: Decode | undefined;
  for await (const chunk of 'getReader' in bytes ? readStream(bytes) : bytes) {
    if (!ArrayBuffer.isView(chunk))
      throw new TypeError(
        `Expected the bytes of the file, got ${typeof chunk}. Open it without an encoding.`,
      );
    if (decode) {
      yield* decode(chunk);
      continue;
    }
    start = join(start, chunk);
    if (start.length < 4) continue;
    decode = createDecode(start);
    yield* decode(start);
  }
  decode ??= createDecode(start);
  yield* decode(start.length < 4 ? start : new Uint8Array());
  yield* decode();
}

/** The bytes of a file: a stream of Node, or one of the web. */
export type FileBytes = AsyncIterable<Uint8Array> | ByteStream;

/** A `ReadableStream` of bytes. */
interface ByteStream {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
    cancel(): Promise<void>;
  };
}

/** Safari cannot iterate a stream. */
async function* readStream(stream: ByteStream): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (let step = await reader.read(); !step.done; step = await reader.read())
      yield step.value as Uint8Array;
  } finally {
    await reader.cancel();
  }
}

/** Decodes the next bytes; without any, the end of the text. @throws FileFault */
type Decode = (bytes?: Uint8Array) => Generator<string>;

function createDecode(start: Uint8Array): Decode {
  const other = otherFiles.find(([bytes]) => bytes.every((byte, index) => start[index] === byte));
  if (other) throw new FileFault(`The file is ${other[1]}`, saveAsUtf8);
  const encoding = encodingOf(start);
  const decoder = new TextDecoder(encoding, { fatal: true });
  let before: Uint8Array = new Uint8Array();
  return function* (bytes) {
    let text: string;
    try {
      text = bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode();
    } catch {
      yield readableStart(before, bytes ?? new Uint8Array(), encoding);
      throw new FileFault(`The text is not ${encoding.toUpperCase()} from here on`, saveAsUtf8);
    }
    const end = text.indexOf('\0');
    if (end >= 0) {
      yield text.slice(0, end);
      throw new FileFault('A NUL character is here, which no text holds', saveAsUtf8);
    }
    yield text;
    before = bytes?.length ? bytes.slice(-3) : before;
  };
}

/** By its byte order mark, or by the zero beside the first character. */
function encodingOf([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === undefined || second === undefined || (first === 0 && second === 0)) return 'utf-8';
  return second === 0 ? 'utf-16le' : first === 0 ? 'utf-16be' : 'utf-8';
}

/** The text of bytes up to those that cannot be decoded; a character may have begun in the bytes before. */
function readableStart(before: Uint8Array, bytes: Uint8Array, encoding: string): string {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const begun = encoding === 'utf-8' ? before.findLastIndex((byte) => byte >= 0xc0) : -1;
  let text = '';
  try {
    if (begun >= 0) decoder.decode(before.subarray(begun), { stream: true });
    for (const byte of bytes) text += decoder.decode(Uint8Array.of(byte), { stream: true });
  } catch {
    // The first byte that cannot be.
  }
  return text;
}

function join(one: Uint8Array, other: Uint8Array): Uint8Array {
  const joined = new Uint8Array(one.length + other.length);
  joined.set(one);
  joined.set(other, one.length);
  return joined;
}

/** A longer line, or list, is not read: it would fill the memory. */
export const longestText = 64 * 1_048_576;

/** The whole text. @throws FileFault */
export async function readAll(chunks: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const chunk of chunks) {
    text += chunk;
    if (text.length > longestText)
      throw new FileFault(
        'The file is longer than 64 MiB',
        'Write it as NDJSON, which is read line by line.',
      );
  }
  return text;
}

/** The beginning of a text, and all of it: into the first line that is not blank, and to the end of one that may be JSON. */
export async function peekText(
  chunks: AsyncGenerator<string>,
): Promise<{ readonly head: string; readonly chunks: AsyncIterable<string> }> {
  let head = '';
  let first = '';
  let fault: unknown;
  try {
    for (let step = await chunks.next(); !step.done; step = await chunks.next()) {
      head += step.value;
      // Whether it is NDJSON shows where its first line ends.
      first ||= head.trimStart().charAt(0);
      const isObject = first === '{';
      const end = isObject ? /\n/ : /[\r\n]/;
      if (end.test(step.value) && end.test(head.trimStart())) break;
      if (head.length > (isObject ? longestText : 65_536)) break;
    }
  } catch (error) {
    fault = error;
  }
  async function* all(): AsyncGenerator<string> {
    yield head;
    if (fault !== undefined) throw fault;
    yield* chunks;
  }
  return { head, chunks: all() };
}
