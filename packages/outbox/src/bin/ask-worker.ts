import { Agent, request } from 'node:http';
import { OutboxError, type OutboxErrorCode } from '../outbox-error.ts';
import { reasonOf } from '../reason-of.ts';
import type { UpdateStatus } from '../update-status.ts';
import { CommandFailure } from './command-failure.ts';
import type { Decision, Operations } from './operations.ts';
import { type Answer, type Question, readAnswer } from './question.ts';
import { readAddress, type WorkerAddress } from './worker-address.ts';

/** How long the other process may take to say that it is there, and to answer, in milliseconds. */
const patienceMs = { hello: 2_000, answer: 60_000 };
/** The longest answer that is read, in bytes. */
const maxBytes = 128 * 2 ** 20;

/**
 * Finds the process that works on a folder, and asks it; undefined when there is none.
 *
 * @throws CommandFailure when it works on another schema.
 */
export async function askWorker(folder: string, schema: string): Promise<Operations | undefined> {
  const address = await readAddress(folder);
  if (!address) return undefined;
  // An agent of our own goes through no proxy, and keeps no connection once it is destroyed.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = (question: Question, ms: number): Promise<Answer> => post(question, { address, agent, ms });
  try {
    await ask({ ask: 'hello' }, patienceMs.hello);
  } catch {
    agent.destroy();
    return undefined;
  }
  if (address.schema !== schema) {
    agent.destroy();
    throw new CommandFailure(`${folder} is in use by a process that works on its schema ${address.schema}.`);
  }
  // What the other process answers has the shape of what was asked for: it is this code, and knows the secret.
  async function get<Wanted extends Answer>(question: Question): Promise<Wanted> {
    try {
      return (await ask(question, patienceMs.answer)) as Wanted;
    } catch (error) {
      if (error instanceof OutboxError) throw error;
      throw new CommandFailure(`The process that works on ${folder} did not answer: ${reasonOf(error)}`);
    }
  }
  return {
    place: folder,
    isAlone: false,
    backlog: () => get({ ask: 'backlog' }),
    listDecisions: (limit, after) => get<readonly Decision[]>({ ask: 'listDecisions', limit, after }),
    show: async (id) => (await get<UpdateStatus | null>({ ask: 'show', id })) ?? undefined,
    history: (token, limit) => get<readonly UpdateStatus[]>({ ask: 'history', token, limit }),
    retry: (id) => get<UpdateStatus>({ ask: 'retry', id }),
    discard: (id) => get<UpdateStatus>({ ask: 'discard', id }),
    close: async () => agent.destroy(),
  };
}

interface Way {
  readonly address: WorkerAddress;
  readonly agent: Agent;
  readonly ms: number;
}

async function post(question: Question, { address: { port, secret }, agent, ms }: Way): Promise<Answer> {
  const body = JSON.stringify(question);
  const { status, text } = await new Promise<{ status: number | undefined; text: string }>(
    (resolve, reject) => {
      const outgoing = request({
        host: '127.0.0.1',
        port,
        agent,
        method: 'POST',
        path: '/',
        headers: {
          authorization: `Bearer ${secret}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        },
        signal: AbortSignal.timeout(ms),
      });
      outgoing.once('error', reject);
      outgoing.once('response', (incoming) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        incoming.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          bytes += chunk.length;
          if (bytes > maxBytes) incoming.destroy(new Error('its answer is too long'));
        });
        incoming.once('error', reject);
        incoming.once('end', () =>
          resolve({ status: incoming.statusCode, text: Buffer.concat(chunks).toString() }),
        );
      });
      outgoing.end(body);
    },
  );
  if (status === 200) return readAnswer(text).answer;
  if (status !== 409) throw new Error(text.trim() || `status ${status}`);
  const { error }: { error: { code: OutboxErrorCode; message: string } } = JSON.parse(text);
  throw new OutboxError(error.code, error.message);
}
