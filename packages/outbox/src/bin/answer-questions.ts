import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { OutboxError } from '../outbox-error.ts';
import { reasonOf } from '../reason-of.ts';
import type { Operations } from './operations.ts';
import { answerQuestion, readQuestion } from './question.ts';
import { startServer } from './start-server.ts';
import { removeAddress, writeAddress } from './worker-address.ts';

/** The largest question, in bytes. */
const maxBytes = 4_096;

/**
 * Answers the commands of other processes about the outbox in a folder that this process alone can use, on loopback;
 * where, and the secret that it wants to see, stand in the folder. Gives what ends it.
 */
export async function answerQuestions(
  { folder, schema }: { readonly folder: string; readonly schema: string },
  operations: Operations,
): Promise<() => Promise<void>> {
  const secret = randomBytes(32).toString('base64url');
  const server = await startServer(
    { host: '127.0.0.1', port: 0 },
    (port) => questionApp(operations, { port, secret }).fetch,
  );
  const address = { port: server.port, secret, schema };
  const end = async (): Promise<void> => {
    await removeAddress(folder, address).finally(() => server.close());
  };
  try {
    await writeAddress(folder, address);
    return end;
  } catch (error) {
    await end();
    throw error;
  }
}

function questionApp(operations: Operations, door: { readonly port: number; readonly secret: string }): Hono {
  const app = new Hono();
  app.use(guard(door));
  app.use(bodyLimit({ maxSize: maxBytes, onError: (c) => c.text('The question is too long.\n', 413) }));
  app.post('/', async (c) => {
    const question = readQuestion(await c.req.json().catch(() => undefined));
    if (!question) return c.text('This is no question.\n', 400);
    try {
      return c.json({ answer: await answerQuestion(operations, question) });
    } catch (error) {
      if (error instanceof OutboxError)
        return c.json({ error: { code: error.code, message: error.message } }, 409);
      return c.text(`${reasonOf(error)}\n`, 503);
    }
  });
  app.notFound((c) => c.text('There is nothing here.\n', 404));
  app.onError((error, c) => c.text(`${reasonOf(error)}\n`, 500));
  return app;
}

/** Lets those through who know the secret; a page in a browser that found the port by another name is told nothing. */
function guard({ port, secret }: { readonly port: number; readonly secret: string }): MiddlewareHandler {
  const wanted = digest(`Bearer ${secret}`);
  return async (c, next) => {
    if (c.req.header('host') !== `127.0.0.1:${port}`) return c.text('Ask 127.0.0.1.\n', 421);
    if (!timingSafeEqual(digest(c.req.header('authorization') ?? ''), wanted))
      return c.text('Show the secret.\n', 401);
    return next();
  };
}

/** Texts of different lengths cannot be compared in constant time; their digests can. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
