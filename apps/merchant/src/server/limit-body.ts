import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { refuse } from './refuse.ts';

/** Refuses a body of more bytes than these before it is read. */
export function limitBody(maxBytes: number): MiddlewareHandler {
  return bodyLimit({
    maxSize: maxBytes,
    onError: (c) => refuse(c, 413, { code: 'too_large', message: `This takes at most ${maxBytes} bytes.` }),
  });
}
