/**
 * What became of an update.
 *
 * - `not_sent`: no byte of it left; it may be sent again.
 * - `rejected`: the service refused it, and did not apply it.
 * - `applied`: the service accepted it.
 * - `unknown`: it left, and no response proves whether it was applied.
 */
export type Outcome = 'not_sent' | 'rejected' | 'applied' | 'unknown';

/** Folds the outcomes of a call's attempts: any applied, else any unknown, else the last. */
export function foldOutcomes(outcomes: readonly Outcome[]): Outcome {
  if (outcomes.includes('applied')) return 'applied';
  if (outcomes.includes('unknown')) return 'unknown';
  return outcomes.at(-1) ?? 'not_sent';
}

export function isOutcome(value: unknown): value is Outcome {
  return typeof value === 'string' && Object.hasOwn(updateMessages, value);
}

/** What a call asks the service to do, without how to send it. */
export interface Operation {
  readonly method: 'GET' | 'PATCH';
  /** The path after the base URL. */
  readonly path: string;
  /** The order token of an update; updates with the same token leave one at a time. */
  readonly lane: string | undefined;
  /** Whether it is safe to repeat after an unknown outcome. */
  readonly idempotent: boolean;
  readonly body: string | undefined;
}

/** What names an operation in messages and receipts. */
export type OperationInfo = Pick<Operation, 'method' | 'path' | 'lane'>;

/** Method and path, with only the last four characters of an order token. */
export function describeOperation({ method, path, lane }: OperationInfo): string {
  if (lane === undefined) return `${method} ${path}`;
  const tail = lane.length > 8 ? lane.slice(-4).replace(/[^\w-]/g, '') : '';
  return `${method} /v2/orders/…${tail}`;
}

/** The last sentence of an error's message. */
export function outcomeMessage({ idempotent }: Operation, outcome: Outcome): string {
  return (idempotent ? echoMessages : updateMessages)[outcome];
}

const updateMessages = {
  not_sent: 'The update was not sent.',
  rejected: 'The update was not applied.',
  applied: 'The update was applied.',
  unknown: 'Whether the update was applied is unknown.',
} as const;

const echoMessages = {
  not_sent: 'The request was not sent.',
  rejected: 'The request was refused.',
  applied: 'The key was accepted.',
  unknown: 'Whether the key was accepted is unknown.',
} as const;
