import { maxFileBytes } from '../contract/bulk-limits.ts';
import { BulkFileError } from './bulk-file-error.ts';

/**
 * Reads bytes as UTF-8, piece by piece and without a byte order mark.
 *
 * @throws BulkFileError `too_large`, `not_text`, or `empty` when there is nothing but blanks.
 */
export async function* decodeText(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let length = 0;
  let isBlank = true;
  const decode = (piece?: Uint8Array): string => {
    try {
      return piece ? decoder.decode(piece, { stream: true }) : decoder.decode();
    } catch {
      throw notText();
    }
  };
  for await (const piece of bytes) {
    length += piece.byteLength;
    if (length > maxFileBytes) {
      throw new BulkFileError(
        'too_large',
        `A file has at most ${maxFileBytes / 1_048_576} MiB. Split it into smaller ones.`,
      );
    }
    const text = decode(piece);
    // No text holds it, and files of other programs nearly always do.
    if (text.includes('\0')) throw notText();
    if (text.trim() !== '') isBlank = false;
    if (text !== '') yield text;
  }
  yield decode();
  if (isBlank) throw new BulkFileError('empty', 'This file is empty.');
}

function notText(): BulkFileError {
  return new BulkFileError(
    'not_text',
    'This file is no text in UTF-8. In a spreadsheet, save it as “CSV UTF-8”; what was saved as .xlsx cannot be read.',
  );
}
