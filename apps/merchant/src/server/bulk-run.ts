import type { OrdersClient } from '@orders/client';
import type { OrderUpdate } from '@orders/schema';
import type { BulkView } from '../contract/bulk-view.ts';
import type { KeptBulk, WaitingRow } from '../storage/bulk-records.ts';
import type { BulkStore } from '../storage/bulk-store.ts';
import { createBulkAnnouncer } from './bulk-announcer.ts';
import { createBulkJournal } from './bulk-journal.ts';
import { createBulkProgress } from './bulk-progress.ts';
import { isAway, settleRow } from './bulk-settle-row.ts';
import { keepTrying } from './keep-trying.ts';

/** Updates on their way at the same time. */
const concurrency = 16;

/** Rows read from storage at once. */
const pageRows = 200;

/** After so many updates in a row that could not be sent, the order service counts as away. */
const awayAfter = 20;

const problems = {
  away: `${awayAfter} updates in a row could not be sent: the order service cannot be reached. Nothing of them arrived. Continue once it is back.`,
  failed: 'The desk’s own storage failed. Continue to go on where this stopped.',
} as const;

export interface BulkRunOptions {
  readonly bulk: KeptBulk;
  readonly store: BulkStore;
  readonly orders: Pick<OrdersClient, 'updateOrders'>;
  /** Aborts what is on its way. */
  readonly signal: AbortSignal;
  /** Told how things stand, a few times a second. */
  readonly onChange: (view: BulkView) => void;
  /** Told of what could not be stored. */
  readonly onFailure: (error: unknown) => void;
}

/** A bulk on its way. */
export interface BulkRun {
  view(): BulkView;
  /** Lets what is on its way end, and sends nothing more. */
  pause(): void;
  /** Resolves once nothing is on its way and everything is stored. It never rejects. */
  readonly ended: Promise<void>;
}

type SentRow = WaitingRow & { readonly update: OrderUpdate };

/** Sends the rows that wait. Each is stored as `sending` before a byte of it leaves. */
export function runBulk({ bulk, store, orders, signal, onChange, onFailure }: BulkRunOptions): BulkRun {
  const progress = createBulkProgress(bulk.counts, () => performance.now());
  const journal = createBulkJournal((steps) =>
    keepTrying(() => store.write(bulk.id, steps), { signal, onFailure, isFinal: () => false }),
  );
  const announcer = createBulkAnnouncer(() => onChange(view()));
  const marked = new Set<number>();
  let state: BulkView['state'] = 'running';
  let problem: string | undefined;
  let away = 0;

  const updates = orders.updateOrders(readWaiting(store, bulk.id), {
    concurrency,
    signal,
    beforeAttempt: ({ item: { row } }) => {
      // Another attempt of a row finds the mark of the first.
      if (marked.has(row)) return undefined;
      marked.add(row);
      progress.move('waiting', 'sending');
      announcer.soon();
      return journal.mark(row);
    },
  });
  let stopping: ReturnType<typeof updates.stop> | undefined;
  const stop = () => {
    stopping ??= updates.stop();
    return stopping;
  };

  function take(result: Parameters<typeof settleRow>[0]): void {
    const settled = settleRow(result);
    progress.move(marked.delete(settled.row) ? 'sending' : 'waiting', settled.state);
    journal.settle(settled);
    announcer.soon();
    away = isAway(result) ? away + 1 : 0;
    if (away === awayAfter) pause(problems.away);
  }

  function pause(why?: string): void {
    state = 'paused';
    problem ??= why;
    stop().catch(onFailure);
    announcer.now();
  }

  async function drive(): Promise<void> {
    const onAbort = () => pause();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      for await (const result of updates) take(result);
    } catch (error) {
      onFailure(error);
      pause(problems.failed);
    }
    const { results, unsent } = await stop();
    for (const result of results) take(result);
    for (const { item } of unsent) {
      if (!marked.delete(item.row)) continue;
      progress.move('sending', 'waiting');
      journal.settle({ row: item.row, state: 'waiting', issues: [] });
    }
    signal.removeEventListener('abort', onAbort);
    await journal.flush();
    await keepTrying(() => store.end(bulk.id, problem), { signal, onFailure, isFinal: () => false });
  }

  function view(): BulkView {
    const { counts, ...speed } = progress.read();
    const { problem: _, ...kept } = bulk;
    return {
      ...kept,
      state,
      counts,
      ...(state === 'running' ? speed : {}),
      ...(problem === undefined ? {} : { problem }),
    };
  }

  // How things stand after the end is told by who reads it from storage.
  const ended = drive()
    .catch(onFailure)
    .finally(() => announcer.end());
  return { view, pause: () => pause(), ended };
}

async function* readWaiting(store: BulkStore, id: string): AsyncGenerator<SentRow, void, undefined> {
  for (let after = 0; ; ) {
    const page = await store.listWaiting(id, { after, limit: pageRows });
    // The schema judged each when its file was read, and the client judges it once more.
    yield* page as SentRow[];
    const last = page.at(-1);
    if (!last || page.length < pageRows) return;
    after = last.row;
  }
}
