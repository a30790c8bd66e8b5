import * as z from 'zod/mini';
import { shellWords } from '../words/shell.ts';

/** Why the desk's own server did not do what the page asked. */
export class DeskProblem extends Error {
  override readonly name = 'DeskProblem';
  /** The desk's own code; `unreachable` without an answer, `garbled` when the answer has another shape. */
  readonly code: string;
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** What the desk said besides, such as the report of an update that it refused. */
  readonly body: unknown;

  constructor(message: string, { code, status, body, cause }: DeskProblemOptions) {
    super(message, { cause });
    this.code = code;
    this.status = status;
    this.body = body;
  }
}

interface DeskProblemOptions {
  readonly code: string;
  readonly status: number;
  readonly body?: unknown;
  readonly cause?: unknown;
}

const Refusal = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

/**
 * Asks the desk's server and reads its answer by a schema.
 *
 * @throws {DeskProblem} When it does not answer, refuses, or answers in another shape.
 */
export async function requestJson<T>(
  schema: z.ZodMiniType<T>,
  path: string,
  init: RequestInit = {},
): Promise<T> {
  const answer = await request(path, init);
  const read = schema.safeParse(await readBody(answer));
  if (read.success) return read.data;
  throw new DeskProblem(shellWords.deskGarbled, {
    code: 'garbled',
    status: answer.status,
    cause: read.error,
  });
}

/**
 * Asks the desk's server for something that has no answer but that it is done.
 *
 * @throws {DeskProblem} When it does not answer or refuses.
 */
export async function requestNothing(path: string, init: RequestInit = {}): Promise<void> {
  await request(path, init);
}

/** How JSON is sent to the desk's server. */
export function jsonRequest(method: 'POST' | 'PUT', body: unknown): RequestInit {
  return { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

async function request(path: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('accept', 'application/json');
  let answer: Response;
  try {
    answer = await fetch(path, { ...init, headers });
  } catch (cause) {
    if (init.signal?.aborted) throw cause;
    throw new DeskProblem(shellWords.deskUnreachable, { code: 'unreachable', status: 0, cause });
  }
  if (answer.ok) return answer;
  const body = await readBody(answer).catch(() => undefined);
  const { data } = Refusal.safeParse(body);
  throw new DeskProblem(data?.error.message ?? shellWords.deskUnreachable, {
    code: data?.error.code ?? 'desk_failed',
    status: answer.status,
    body,
  });
}

async function readBody(answer: Response): Promise<unknown> {
  try {
    return await answer.json();
  } catch (cause) {
    // An answer that breaks off is as good as none; one that is no JSON is another's.
    throw cause instanceof SyntaxError
      ? new DeskProblem(shellWords.deskGarbled, { code: 'garbled', status: answer.status, cause })
      : new DeskProblem(shellWords.deskUnreachable, { code: 'unreachable', status: 0, cause });
  }
}
