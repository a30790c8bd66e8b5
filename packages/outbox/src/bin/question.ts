import type { Backlog } from '../backlog.ts';
import type { UpdateStatus } from '../update-status.ts';
import type { Decision, Operations } from './operations.ts';

/** What one process asks another about the outbox that it works on. */
export type Question =
  | { readonly ask: 'hello' | 'backlog' }
  | { readonly ask: 'listDecisions'; readonly limit: number; readonly after?: string | undefined }
  | { readonly ask: 'show' | 'retry' | 'discard'; readonly id: string }
  | { readonly ask: 'history'; readonly token: string; readonly limit: number };

/** What is answered, as it is in the process that answers. */
export type Answer = Backlog | UpdateStatus | readonly Decision[] | null;

/** Reads a question; undefined when it is none. */
export function readQuestion(value: unknown): Question | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { ask, id, token, limit, after } = value as Readonly<Record<string, unknown>>;
  switch (ask) {
    case 'hello':
    case 'backlog':
      return { ask };
    case 'listDecisions':
      return isLimit(limit) && (after === undefined || typeof after === 'string')
        ? { ask, limit, after }
        : undefined;
    case 'show':
    case 'retry':
    case 'discard':
      return typeof id === 'string' ? { ask, id } : undefined;
    case 'history':
      return typeof token === 'string' && isLimit(limit) ? { ask, token, limit } : undefined;
    default:
      return undefined;
  }
}

/** @throws OutboxError as the operation asked for does. */
export async function answerQuestion(operations: Operations, question: Question): Promise<Answer> {
  switch (question.ask) {
    case 'hello':
      return null;
    case 'backlog':
      return operations.backlog();
    case 'listDecisions':
      return operations.listDecisions(question.limit, question.after);
    case 'show':
      return (await operations.show(question.id)) ?? null;
    case 'history':
      return operations.history(question.token, question.limit);
    default:
      return operations[question.ask](question.id);
  }
}

const times: ReadonlySet<string> = new Set([
  'createdAt',
  'sendingAt',
  'settledAt',
  'oldestQueuedAt',
  'pausedUntil',
]);

/** Reads what was answered: times are texts on the way. */
export function readAnswer(text: string): { readonly answer: Answer } {
  return JSON.parse(text, (name, value: unknown) =>
    typeof value === 'string' && times.has(name) ? new Date(value) : value,
  );
}

function isLimit(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 && value <= 100_000;
}
