import { type Outcome, updateOutcomes } from './outcome.ts';

/** What is to be done, before anything is known of how. */
export interface Operation {
  readonly method: 'GET' | 'PATCH';
  /** The path after the base URL. */
  readonly path: string;
  /** Calls of one lane leave one at a time. */
  readonly lane: string | undefined;
  /** Whether it may be sent again whatever became of it, as a GET may. */
  readonly repeatable: boolean;
  readonly body: string | undefined;
}

/** What an operation is called by. */
export type Named = Pick<Operation, 'method' | 'path' | 'lane'>;

/** What to call an operation in messages and receipts: of an order token only the last four characters. */
export function labelOf({ method, path, lane }: Named): string {
  if (lane === undefined) return `${method} ${path}`;
  const tail = lane.length > 8 ? lane.slice(-4).replace(/[^\w-]/g, '') : '';
  return `${method} /v2/orders/…${tail}`;
}

/** The sentence that ends a message: what became of the operation. */
export function outcomeMessage({ repeatable }: Operation, outcome: Outcome): string {
  return (repeatable ? echoOutcomes : updateOutcomes)[outcome];
}

const echoOutcomes = {
  not_sent: 'The request was not sent.',
  rejected: 'The request was refused.',
  applied: 'The key was accepted.',
  unknown: 'Whether the key was accepted is unknown.',
} as const;

/** Length of a text in UTF-8, in bytes, in any runtime. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}
