import { randomUUID } from 'node:crypto';
import type { OrdersClient, UpdateOrderResult } from '@orders/client';
import type { OrderUpdate } from '@orders/schema';
import { type Assignment, type Head, type Mark, markSending } from './claim.ts';
import type { Flush } from './flush.ts';
import { gather } from './gather.ts';
import { inTime } from './in-time.ts';
import { type JudgeOptions, judgeResult, judgeUnknown, tell, type UnknownChoice } from './judge-result.ts';
import { attemptKey } from './lane-queue.ts';
import type { Pacer } from './pacer.ts';
import type { Reach } from './reach.ts';
import { kindOf, reasonOf } from './reason-of.ts';
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
  readonly reach: Reach;
  readonly chooseForUnknown: (head: Head, told: Partial<Verdict>) => Promise<UnknownChoice>;
  /** How long that may take, in milliseconds. */
  readonly chooseWithinMs: number;
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
  const { client, store, schema, shouldMark, pacer, reach, warn } = parts;
  /** Claims of updates on their way. */
  const sending = new Set<string>();
  /** Kinds of errors that a client threw, each of which a person is told of once. */
  const thrown = new Set<string>();
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
      const begin = performance.now();
      marking = mark({ head, claim });
      isGivenUp = !((await marking) && (await pacer.reach(dueAt, performance.now() - begin)));
      if (isGivenUp) throw new Error('The update is not to be sent now.');
    };
    const body = JSON.parse(head.body) as OrderUpdate;
    const call = async (): Promise<UpdateOrderResult> =>
      client.safeUpdateOrder(head.token, body, {
        signal: ending,
        retry: { maxAttempts: 1 },
        ...(head.isMarked ? {} : { beforeAttempt: markBefore }),
      });
    const result = await call().catch((error: unknown) => ({ thrown: error }));
    // A call that ran out of time may end before its mark is stored.
    const marked = await marking?.catch(() => 'unsure' as const);
    if (marked === false) return flush.step(assignment);
    const verdict =
      marked === 'unsure' || isGivenUp
        ? { ...sendAgain, failures: head.failures }
        : await judge(head, result);
    return flush.settle(assignment, settlementOf(head, claim, verdict));
  }

  /** A client that throws may have sent the update before: so nobody knows what became of it. */
  async function judge(
    head: Head,
    result: UpdateOrderResult | { readonly thrown: unknown },
  ): Promise<Verdict> {
    try {
      if ('thrown' in result) throw result.thrown;
      noteReach(result, reach);
      const verdict = judgeResult(result, head.failures, parts);
      if (verdict !== 'unknown') return verdict;
      return await choose(head, result.ok ? {} : tell(result.error));
    } catch (error) {
      // What it says is neither stored nor told: a client of the caller's own may have put its key there.
      const kind = kindOf(error);
      const message = `The client threw ${kind}, and whether the service took the update is unknown.`;
      if (!thrown.has(kind)) {
        warn(`The client threw ${kind}, which a client must not do once bytes may have left.`);
      }
      thrown.add(kind);
      return choose(head, { code: 'client_failed', message });
    }
  }

  async function choose(head: Head, told: Partial<Verdict>): Promise<Verdict> {
    const options = { ...parts, failures: head.failures };
    const chosen = parts.chooseForUnknown(head, told);
    try {
      return judgeUnknown(await inTime(chosen, parts.chooseWithinMs, ending), told, options);
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

/** Whether the service could be reached, as far as a call tells: what was never connected never left. */
function noteReach(result: UpdateOrderResult, reach: Reach): void {
  if (result.ok || 'status' in result.error) {
    reach.works();
    return;
  }
  const { outcome, code, message } = result.error;
  if (outcome === 'not_sent' && (code === 'connection_error' || code === 'timeout')) reach.fails(message);
}
