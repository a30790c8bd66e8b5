import type { IncomingMessage } from 'node:http';

export interface ReceivedBody {
  readonly bytes: Buffer;
  /** `cut`: the sender went away before the end. */
  readonly end: 'complete' | 'too_large' | 'cut';
}

/**
 * Reads a body, keeping at most `maxBytes` of it; never rejects.
 *
 * A body known to be too large settles at once, and what still arrives is thrown away, so the answer need not wait.
 */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<ReceivedBody> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (end: ReceivedBody['end']) => {
      request.off('data', keep);
      request.resume();
      resolve({ bytes: Buffer.concat(chunks), end });
    };
    const keep = (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) settle('too_large');
      else chunks.push(chunk);
    };
    // A broken upload is told by `close`, and an `error` nobody hears would end the process.
    request.on('error', () => {});
    request.once('end', () => settle('complete'));
    request.once('close', () => settle('cut'));
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) settle('too_large');
    else request.on('data', keep);
  });
}
