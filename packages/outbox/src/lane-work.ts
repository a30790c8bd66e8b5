import type { OrdersClient, UpdateOrderResult } from '@orders/client';
import type { OrderUpdate } from '@orders/schema';
import type { Job } from 'pg-boss';
import { type Head, type Mark, markSending } from './claim.ts';
import type { Flush } from './flush.ts';
import { gather } from './gather.ts';
import { type JudgeOptions, judgeResult, judgeUnknown, tell, type UnknownChoice } from './judge-result.ts';
import type { LaneJob } from './lane-queue.ts';
import { attemptKey } from './lanes.ts';
import { reasonOf } from './reason-of.ts';
import type { OutboxStore } from './store/outbox-store.ts';
import type { Verdict } from './verdict.ts';

/** What the work on one lane needs. */
export interface LaneWorkParts extends JudgeOptions {
  readonly client: Pick<OrdersClient, 'safeUpdateOrder'>;
  readonly store: OutboxStore;
  readonly schema: string;
  readonly chooseForUnknown: (head: Head, told: Partial<Verdict>) => Promise<UnknownChoice>;
  readonly warn: (message: string) => void;
}

/** How long a lane waits whose update this process itself is still sending, in milliseconds. */
const ownWaitMs = 500;
/** How long a lane waits in which work failed in a way that nobody foresaw, in milliseconds. */
const strangeWaitMs = 1_000;

type LaneWork = (job: Job<LaneJob>, head: Head | undefined) => Promise<void>;

/** Makes the work on a lane: sends its head and stores what became of it. It never rejects; `ending` aborts it. */
export function laneWork(parts: LaneWorkParts, flush: Flush, ending: AbortSignal): LaneWork {
  const { client, store, schema, warn } = parts;
  const sending = new Set<string>();
  const mark = gather<Mark, boolean>(async (marks) => {
    const marked = await markSending(store, schema, marks);
    return marks.map(({ head }) => marked.has(head.id));
  });

  async function work(job: Job<LaneJob>, head: Head | undefined): Promise<void> {
    if (!head) return flush.step(job);
    // The queue gave the job away while this process was still at it: its own answer is to come.
    if (sending.has(head.id)) return flush.step(job, ownWaitMs);
    if (head.state === 'sending') {
      // Whoever marked it is gone, or as good as gone: nobody knows whether the service took it.
      const verdict = await choose(head, { code: 'left_behind', message: leftBehind });
      return flush.settle(job, settlementOf(head, head.claim ?? '', verdict));
    }
    sending.add(head.id);
    try {
      await send(job, head);
    } finally {
      sending.delete(head.id);
    }
  }

  async function send(job: Job<LaneJob>, head: Head): Promise<void> {
    const claim = attemptKey(job);
    let marking: Promise<boolean> | undefined;
    const result = await client.safeUpdateOrder(head.token, JSON.parse(head.body) as OrderUpdate, {
      signal: ending,
      retry: { maxAttempts: 1 },
      beforeAttempt: async () => {
        marking = mark({ head, claim });
        if (!(await marking)) throw new Error('The update is not to be sent now.');
      },
    });
    // A call that ran out of time may end before its mark is stored.
    const marked = await marking?.catch(() => 'unsure' as const);
    if (marked === false) return flush.step(job);
    const verdict =
      marked === 'unsure' ? { ...sendAgain, failures: head.failures } : await judge(head, result);
    return flush.settle(job, settlementOf(head, claim, verdict));
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

  return async (job, head) => {
    try {
      await work(job, head);
    } catch (error) {
      warn(`An update could not be worked on, and is taken up again: ${reasonOf(error)}`);
      await flush.step(job, strangeWaitMs);
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
