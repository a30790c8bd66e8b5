import type { OrdersClient } from '@orders/client';
import type { BulkView } from '../contract/bulk-view.ts';
import type { Decision } from '../contract/update-view.ts';
import type { BulkStore } from '../storage/bulk-store.ts';
import { type BulkRun, runBulk } from './bulk-run.ts';
import type { EventHub } from './event-hub.ts';
import { takeTurns } from './take-turns.ts';

/** Sends bulks, and tells how they stand. */
export interface BulkDesk {
  /** A bulk as it stands now. */
  find(id: string): Promise<BulkView | undefined>;
  /** The latest bulks, newest first. */
  list(limit: number): Promise<readonly BulkView[]>;
  /** Begins, or goes on. False when it runs, still pauses, or nothing waits. */
  start(id: string): Promise<boolean>;
  /** Sends nothing more and lets what is on its way end; the view tells it by its rows in `sending`. */
  pause(id: string): Promise<void>;
  /**
   * Sends every row of unknown outcome again, or discards them. Those of a bulk that was over are sent at once, those of
   * a paused one when it goes on. False when there are none, or the bulk is on its way.
   */
  decide(id: string, decision: Decision): Promise<boolean>;
  /** Forgets a bulk. False when there is none, or it is on its way. */
  remove(id: string): Promise<boolean>;
  /** Resolves when nothing of a bulk is on its way. */
  ended(id: string): Promise<void>;
  /** Aborts what is on its way and stores its outcomes; every bulk is paused then. Further calls do nothing. */
  close(): Promise<void>;
}

export interface BulkDeskOptions {
  readonly store: BulkStore;
  readonly hub: Pick<EventHub, 'publish'>;
  readonly orders: Pick<OrdersClient, 'updateOrders'>;
  /** Told in one line when something could not be stored. @default nobody is told */
  readonly warn?: (line: string) => void;
}

/** Makes a desk for bulks; what it sends follows the settings of the client. */
export function createBulkDesk({ store, hub, orders, warn = () => {} }: BulkDeskOptions): BulkDesk {
  const runs = new Map<string, BulkRun>();
  const ending = new AbortController();
  const { signal } = ending;
  const inTurn = takeTurns();

  const publish = (bulk: BulkView) => hub.publish({ type: 'passing', event: { kind: 'bulk_changed', bulk } });
  const onFailure = () => warn('A step of a bulk could not be stored.');
  const announce = async (id: string) => {
    const bulk = await store.find(id);
    if (bulk) publish(bulk);
  };

  async function begin(id: string): Promise<boolean> {
    signal.throwIfAborted();
    if (runs.has(id) || !(await store.start(id))) return false;
    const bulk = await store.find(id);
    if (!bulk) return false;
    const run = runBulk({ bulk, store, orders, signal, onChange: publish, onFailure });
    const ended = run.ended.then(() => {
      runs.delete(id);
      return announce(id).catch(onFailure);
    });
    runs.set(id, { ...run, ended });
    publish(run.view());
    return true;
  }

  return {
    find: async (id) => runs.get(id)?.view() ?? (await store.find(id)),
    async list(limit) {
      const bulks = await store.list(limit);
      return bulks.map((bulk) => runs.get(bulk.id)?.view() ?? bulk);
    },
    start: (id) => inTurn(() => begin(id)),
    pause: (id) =>
      inTurn(async () => {
        runs.get(id)?.pause();
        await store.pause(id);
      }),
    decide: (id, decision) =>
      inTurn(async () => {
        if (runs.has(id)) return false;
        const before = await store.find(id);
        const decided = await store.decide(id, decision === 'sent_again' ? 'waiting' : 'discarded');
        if (decided === 0) return false;
        const isSent = decision === 'sent_again' && before?.state === 'done' && (await begin(id));
        if (!isSent) await announce(id);
        return true;
      }),
    remove: (id) => inTurn(async () => !runs.has(id) && (await store.remove(id))),
    ended: async (id) => runs.get(id)?.ended,
    async close() {
      ending.abort();
      await inTurn(async () => {});
      await Promise.all([...runs.values()].map(({ ended }) => ended));
    },
  };
}
