import { OutboxError } from '../outbox-error.ts';
import type { DecisionFilter } from './decision-filter.ts';
import type { Operations } from './operations.ts';
import { plainly } from './plainly.ts';
import { jsonLine, type Screen } from './screen.ts';
import { walkDecisions } from './walk-decisions.ts';

/** What is decided, about which updates. */
export interface Decide {
  readonly wish: 'retry' | 'discard';
  readonly which: readonly string[] | DecisionFilter;
  readonly asJson: boolean;
}

/** What shows how far a long decision has come. */
export interface Progress {
  (text: string): void;
  clear(): void;
}

/** How often that is drawn, in milliseconds. */
const drawEveryMs = 200;

const words = { retry: 'queued again', discard: 'discarded' } as const;

/**
 * Decides about updates, one after the other, and tells of each that could not be done. Gives whether all could.
 *
 * @throws whatever keeps the outbox from answering, once it has told what was done.
 */
export async function decide(
  operations: Operations,
  { wish, which, asJson }: Decide,
  screen: Screen,
  progress?: Progress,
): Promise<boolean> {
  let drawnAt = Number.NEGATIVE_INFINITY;
  const done: string[] = [];
  const failed: { id: string; code: string; message: string }[] = [];
  try {
    // Several at once could change the order of updates of one order.
    for await (const id of idsOf(operations, which)) {
      try {
        const { token } = await operations[wish](id);
        done.push(id);
        if (progress && performance.now() - drawnAt >= drawEveryMs) {
          drawnAt = performance.now();
          progress(`Updates ${words[wish]}: ${done.length} so far.`);
        }
        if (!asJson && isList(which)) screen.print(`${id} of order ${plainly(token)} is ${words[wish]}.\n`);
      } catch (error) {
        // What keeps the outbox from answering keeps it from the rest, too.
        if (!(error instanceof OutboxError)) throw error;
        failed.push({ id, code: error.code, message: error.message });
        screen.complain(`${error.code}: ${error.message}`);
      }
    }
  } finally {
    progress?.clear();
    if (asJson) screen.print(jsonLine({ [wish === 'retry' ? 'retried' : 'discarded']: done, failed }));
    else if (!isList(which)) screen.print(`Updates ${words[wish]}: ${done.length}.\n`);
  }
  return failed.length === 0;
}

async function* idsOf(operations: Operations, which: Decide['which']): AsyncGenerator<string> {
  if (isList(which)) yield* which;
  else for await (const { id } of walkDecisions(operations, which)) yield id;
}

function isList(which: Decide['which']): which is readonly string[] {
  return Array.isArray(which);
}
