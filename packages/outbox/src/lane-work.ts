import { randomUUID } from 'node:crypto';
import type { OrdersClient, UpdateOrderResult } from '@orders/client';
import type { OrderUpdate } from '@orders/schema';
import { type Assignment, type Head, type Mark, markSending } from './claim.ts';
import type { Flush } from './flush.ts';
import { gather } from './gather.ts';
import { type JudgeOptions, judgeResult, judgeUnknown, tell, type UnknownChoice } from './judge-result.ts';
import { attemptKey } from './lane-queue.ts';
import type { Pacer } from './pacer.ts';
import { reasonOf } from './reason-of.ts';
import type { OutboxStore } from './store/outbox-store.ts';
import type { Verdict } from './verdict.ts';

/** What the work on one lane needs. */
export interface LaneWorkParts extends JudgeOptions {
  readonly client: Pick<OrdersClient, 'safeUpdateOrder'>;
  readonly store: OutboxStore;
  readonly schema: string;
  /** Whether heads come marked as being sent; else they are marked just before bytes leave. */
  readonly shouldMark: boolean;
  readonly pacer: Pick<Pacer, 'reach'>;
  readonly chooseForUnknown: (head: Head, told: Partial<Verdict>) => Promise<UnknownChoice>;
  readonly warn: (message: string) => void;
}

/** How long a lane waits whose update this process itself is still sending, in milliseconds. */
const ownWaitMs = 500;
/** How long a lane waits in which work failed in a way that nobody foresaw, in milliseconds. */
const strangeWaitMs = 1_000;

/** Works on a lane whose place in the rate is due at a moment by the clock of `performance.now()`. */
export type LaneWork = (assignment: Assignment, dueAt: number) => Promise<void>;

/** Makes the work on a lane: sends its head and stores what became of it. It never rejects; `ending` aborts it. */
export function laneWork(parts: LaneWorkParts, flush: Flush, ending: AbortSignal): LaneWork {
  const { client, store, schema, shouldMark, pacer, warn } = parts;
  /** Claims of updates on their way. */
  const sending = new Set<string>();
  const mark = gather<Mark, boolean>(async (marks) => {
    const marked = await markSending(store, schema, marks);
    return marks.map(({ head }) => marked.has(head.id));
  });

  async function work(assignment: Assignment, dueAt: number): Promise<void> {
    const { head } = assignment;
    if (!head) return flush.step(assignment);
    // The queue gave the job away while this process was still at it: its own answer is to come.
    if (head.claim !== null && sending.has(head.claim)) return flush.step(assignment, ownWaitMs);
    // Somebody changes it, or the service asks for a pause.
    if (head.state === 'queued' && shouldMark && !head.isMarked) return flush.step(assignment);
    if (head.state === 'sending' && !head.isMarked) {
      // Whoever marked it is gone, or as good as gone: nobody knows whether the service took it.
      const verdict = await choose(head, { code: 'left_behind', message: leftBehind });
      return flush.settle(assignment, settlementOf(head, head.claim ?? '', verdict));
    }
    const claim = (head.isMarked && head.claim) || `${attemptKey(assignment.place)}:${randomUUID()}`;
    sending.add(claim);
    try {
      await send(assignment, { head, claim, dueAt });
    } finally {
      sending.delete(claim);
    }
  }

  async function send(
    assignment: Assignment,
    { head, claim, dueAt }: { readonly head: Head; readonly claim: string; readonly dueAt: number },
  ): Promise<void> {
    let marking: Promise<boolean> | undefined;
    let isGivenUp = false;
    const markBefore = async (): Promise<void> => {
      marking = mark({ head, claim });
      isGivenUp = !((await marking) && (await pacer.reach(dueAt)));
      if (isGivenUp) throw new Error('The update is not to be sent now.');
    };
    const result = await client.safeUpdateOrder(head.token, JSON.parse(head.body) as OrderUpdate, {
      signal: ending,
      retry: { maxAttempts: 1 },
      ...(head.isMarked ? {} : { beforeAttempt: markBefore }),
    });
    // A call that ran out of time may end before its mark is stored.
    const marked = await marking?.catch(() => 'unsure' as const);
    if (marked === false) return flush.step(assignment);
    const verdict =
      marked === 'unsure' || isGivenUp
        ? { ...sendAgain, failures: head.failures }
        : await judge(head, result);
    return flush.settle(assignment, settlementOf(head, claim, verdict));
  }

  async function judge(head: Head, result: UpdateOrderResult): Promise<Verdict> {
    const verdict = judgeResult(result, head.failures, parts);
    if (verdict !== 'unknown') return verdict;
    return choose(head, result.ok ? {} : tell(result.error));
  }

  async function choose(head: Head, told: Partial<Verdict>): Promise<Verdict> {
    const options = { ...parts, failures: head.failures };
    try {
      return judgeUnknown(await orAborted(parts.chooseForUnknown(head, told), ending), told, options);
    } catch (error) {
      warn(`onUnknown failed, so the update ${head.id} is parked: ${reasonOf(error)}`);
      return judgeUnknown('park', told, options);
    }
  }

  return async (assignment, dueAt) => {
    try {
      await work(assignment, dueAt);
    } catch (error) {
      warn(`An update could not be worked on, and is taken up again: ${reasonOf(error)}`);
      await flush.step(assignment, strangeWaitMs);
    }
  };
}

const leftBehind =
  'It was being sent when its process ended or fell silent. Whether the service took it is unknown.';

const sendAgain = { state: 'queued', hold: false, delayMs: 0 } as const;

function settlementOf({ id, token }: Head, claim: string, verdict: Verdict) {
  return { id, token, claim, verdict };
}

async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(new Error('the outbox was closed before it chose'));
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
