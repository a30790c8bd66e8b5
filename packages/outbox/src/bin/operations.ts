import type { Backlog } from '../backlog.ts';
import type { Outbox } from '../outbox.ts';
import type { UpdateStatus } from '../update-status.ts';

/** An update that waits for a decision, as it is listed. */
export type Decision = Omit<UpdateStatus, 'receipt'>;

/** What commands ask of an outbox, whether this process has it open or another one that works on it. */
export interface Operations {
  /** Where it is, for people. */
  readonly place: string;
  /** Whether no other process can use the outbox as long as this is open. */
  readonly isAlone: boolean;
  backlog(): Promise<Backlog>;
  /** Updates that wait for a decision, oldest first; those behind one, by its id. */
  listDecisions(limit: number, after?: string): Promise<readonly Decision[]>;
  show(id: string): Promise<UpdateStatus | undefined>;
  history(token: string, limit: number): Promise<readonly UpdateStatus[]>;
  /** @throws OutboxError `unknown_update` or `nothing_to_decide` */
  retry(id: string): Promise<UpdateStatus>;
  /** @throws OutboxError `unknown_update` or `nothing_to_decide` */
  discard(id: string): Promise<UpdateStatus>;
  close(): Promise<void>;
}

/** The operations of an outbox that this process has open; `close` closes it. */
export function operationsOf(
  outbox: Outbox,
  { place, isAlone }: Pick<Operations, 'place' | 'isAlone'>,
): Operations {
  return {
    place,
    isAlone,
    backlog: () => outbox.backlog(),
    listDecisions: async (limit, after) =>
      (await outbox.listDecisions(limit, { after })).map(({ receipt: _, ...decision }) => decision),
    show: (id) => outbox.status(id),
    history: (token, limit) => outbox.history(token, limit),
    retry: (id) => outbox.retry(id),
    discard: (id) => outbox.discard(id),
    close: () => outbox.close({ graceMs: 0 }),
  };
}
