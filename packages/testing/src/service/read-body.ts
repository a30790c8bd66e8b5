import type { IncomingMessage } from 'node:http';

export interface ReceivedBody {
  readonly bytes: Buffer;
  /** `cut`: the sender went away before the end. */
  readonly end: 'complete' | 'too_large' | 'cut';
}

export const NO_BODY: ReceivedBody = { bytes: Buffer.alloc(0), end: 'cut' };

/**
 * Reads a body, keeping at most `maxBytes` of it, and calls back exactly once: at its end, since a promise would cost
 * every request another turn.
 *
 * A body known to be too large settles at once, and what still arrives is thrown away, so the answer need not wait.
 */
export function readBody(
  request: IncomingMessage,
  limit: { readonly maxBytes: number; readonly declaredLength: string | undefined },
  callback: (body: ReceivedBody) => void,
): void {
  const { maxBytes, declaredLength = '0' } = limit;
  const chunks: Buffer[] = [];
  let size = 0;
  let isSettled = false;
  const settle = (end: ReceivedBody['end']) => {
    if (isSettled) return;
    isSettled = true;
    callback({ bytes: Buffer.concat(chunks), end });
  };
  const keep = (chunk: Buffer) => {
    if (isSettled) return;
    size += chunk.length;
    if (size > maxBytes) settle('too_large');
    else chunks.push(chunk);
  };
  request.on('data', keep);
  request.on('end', () => settle('complete'));
  // Node tells of a sender that went away as an error, to whoever listens for one.
  request.on('error', () => settle('cut'));
  if (Number(declaredLength) > maxBytes) settle('too_large');
}
