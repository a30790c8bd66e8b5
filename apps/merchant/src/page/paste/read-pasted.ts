import { pasteWords } from '../words/paste.ts';
import { tidyJson } from './tidy-json.ts';

/** The most that is taken at once: the desk's server takes no larger body either. */
export const maxPastedBytes = 2 ** 20;

/** A line of more characters than these cannot be explained line by line. */
const longLine = 400;

/** Text to explain, or why there is none. */
export interface ReadText {
  readonly text?: string;
  readonly problem?: string;
}

export interface ReadPastedOptions {
  /** Whether JSON on one long line is set out over several, so that it can be explained. */
  readonly isTidied: boolean;
}

/** Takes text unless there is too much of it. */
export function readPasted(text: string, { isTidied }: ReadPastedOptions): ReadText {
  if (new TextEncoder().encode(text).byteLength > maxPastedBytes) return tooLong();
  const isLong =
    isTidied && text.length > longLine && text.split('\n').some((line) => line.length > longLine);
  return { text: isLong ? tidyJson(text) : text };
}

/** Reads a file unless there is too much of it. Never rejects. */
export async function readPastedFile(file: Blob): Promise<ReadText> {
  if (file.size > maxPastedBytes) return tooLong();
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
    return readPasted(text, { isTidied: true });
  } catch {
    return { problem: pasteWords.unreadable };
  }
}

function tooLong(): ReadText {
  return { problem: pasteWords.tooLong('1 MiB') };
}
