import { createOutbox } from '../create-outbox.ts';
import type { Outbox } from '../outbox.ts';
import { reasonOf } from '../reason-of.ts';
import { rest } from '../rest.ts';
import type { SettledUpdate } from '../settled-update.ts';
import type { OutboxStore } from '../store/outbox-store.ts';
import { answerQuestions } from './answer-questions.ts';
import { loadClient } from './load-client.ts';
import type { LogEntry, Totals } from './log-entry.ts';
import { createMetrics } from './metrics.ts';
import { observationApp } from './observation-app.ts';
import { operationsOf } from './operations.ts';
import type { Place } from './place.ts';
import { sharedLook } from './shared-look.ts';
import { startServer } from './start-server.ts';
import { takeStore } from './take-store.ts';
import type { WorkSettings } from './work-settings.ts';

/** A process at work on an outbox. */
export interface Work {
  /** Where health and metrics are served, without a trailing slash; undefined when they are not. */
  readonly observe: string | undefined;
  /**
   * Takes no more, lets what is on its way end within the grace, and ends, ten seconds after the grace at most; further
   * calls do nothing.
   */
  stop(signal: string): Promise<void>;
}

/** How long the database may take to answer a probe and a scrape, in milliseconds; Prometheus waits ten seconds. */
const boundMs = { probe: 2_000, scrape: 5_000 };
/** How long a client may take to close once nothing is on its way, in milliseconds. */
const closeMs = 1_000;

/**
 * Opens an outbox and works on it, with health and metrics, and, where it is in a folder, with answers to other commands.
 *
 * @throws CommandFailure or OutboxError, when all is closed again.
 */
export async function startWork(
  place: Place,
  settings: WorkSettings,
  tell: (entry: LogEntry) => void,
): Promise<Work> {
  const { graceMs, listen } = settings;
  const open: (() => Promise<unknown>)[] = [];
  const closeAll = async (): Promise<void> => {
    for (const close of open.splice(0).reverse()) await close();
  };
  let stopping: Promise<void> | undefined;
  try {
    const { client, to, close } = await loadClient(settings.sender);
    open.push(() => Promise.race([close(), rest(closeMs)]));

    const totals: Record<keyof Totals, number> = {
      applied: 0,
      rejected: 0,
      parked: 0,
      discarded: 0,
      queued: 0,
    };
    const onSettled = ({ id, token, state, code = 'none', status }: SettledUpdate): void => {
      totals[state]++;
      if (state === 'parked' || state === 'rejected') {
        tell({ event: state, id, order: token, code, ...(status === undefined ? {} : { status }) });
      }
    };
    const held = await takeStore(place);
    const answers = heldAnswers(held);
    const metrics = createMetrics(sharedLook(() => outbox.backlog(), boundMs.scrape));
    const outbox: Outbox = await createOutbox({
      ...settings.outbox,
      client,
      store: answers.store,
      schema: place.schema,
      warn: (message) => tell({ event: 'warning', message }),
      onSettled: (settled) => {
        metrics.note(settled);
        onSettled(settled);
      },
    });
    open.push(() => outbox.close({ graceMs: 0 }));

    const probe = sharedLook(() => held.query('select 1'), boundMs.probe);
    const findProblem = async (): Promise<string | undefined> => {
      if (stopping) return 'it is stopping';
      return probe().then(
        () => undefined,
        (error) => `the database does not answer: ${reasonOf(error)}`,
      );
    };
    const server = listen && (await startServer(listen, () => observationApp(metrics, findProblem).fetch));
    if (server) open.push(() => server.close());
    await answers.begin(place, outbox);
    await outbox.work();
    const observe = server?.url;
    tell({ event: 'working', place: held.place, to, ...(observe === undefined ? {} : { observe }) });
    const stop = async (signal: string): Promise<void> => {
      tell({ event: 'stopping', signal, graceSeconds: graceMs / 1_000 });
      await outbox.close({ graceMs });
      await closeAll();
      tell({ event: 'stopped', ...totals });
    };
    return {
      observe,
      stop: (signal) => (stopping ??= stop(signal)),
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** Ends the answers to other commands just before a store is closed: whoever finds its folder free finds no address there. */
function heldAnswers(store: OutboxStore) {
  let end = async (): Promise<void> => {};
  return {
    store: { ...store, close: () => end().finally(() => store.close()) },
    async begin({ where, schema }: Place, outbox: Outbox): Promise<void> {
      if (!('folder' in where)) return;
      const operations = operationsOf(outbox, { place: store.place, isAlone: false });
      end = await answerQuestions({ folder: where.folder, schema }, operations);
    },
  };
}
