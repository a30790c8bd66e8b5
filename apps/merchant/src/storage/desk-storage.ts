import type { Changes, OutboxStore } from '@orders/outbox';
import type { OrderUpdate } from '@orders/schema';
import type { Kysely, Transaction } from 'kysely';
import type { NumberedEvent, StoredEvent } from '../contract/desk-event.ts';
import type { OrderSummary } from '../contract/order-view.ts';
import type { WaitingUpdate } from '../contract/outbox-view.ts';
import type { UpdateReport } from '../contract/update-report.ts';
import type { Decision, UpdateView } from '../contract/update-view.ts';
import type { Tables } from './tables.ts';

/** Everything the desk keeps: it survives the end of the process, however it comes. */
export interface DeskStorage extends AsyncDisposable {
  /** The database itself, for stores that live beside these, such as that of bulks. */
  readonly database: Kysely<Tables>;
  readonly orders: OrderStore;
  readonly updates: UpdateStore;
  readonly events: EventStore;
  /** The state of the outbox in the desk's own tables. */
  readonly mirror: OutboxMirror;
  /** The same database for an outbox; to be closed before this storage is. */
  openOutboxStore(): Promise<OutboxStore>;
  /** Where it is, for people: a folder, memory, or a database's host and name, without a password. */
  readonly place: string;
  close(): Promise<void>;
}

/** An order as it is kept. */
export interface KeptOrder {
  readonly token: string;
  readonly body: OrderUpdate;
  readonly draft: unknown;
  readonly qrSession: { readonly id: string; readonly at: string } | null;
  readonly webhookSecret: string;
}

/** An order to add. */
export interface NewOrder {
  readonly token: string;
  readonly body: OrderUpdate;
  /** The part of its webhook address that cannot be guessed. @default one made at random */
  readonly webhookSecret?: string;
}

export interface OrderStore {
  /** Adds orders that are not known yet; those that are stay as they are. */
  add(orders: readonly NewOrder[]): Promise<void>;
  /** Every order in the order they became known, with its last update and the number of its undecided ones. */
  list(): Promise<readonly OrderSummary[]>;
  find(token: string): Promise<KeptOrder | undefined>;
  /** Keeps what was typed; null forgets it. False when there is no such order. */
  saveDraft(token: string, draft: unknown): Promise<boolean>;
  /** Notes a QR session, with its event. Undefined when nothing changed: the same session came before, or no such order. */
  startQrSession(token: string, sessionId: string): Promise<NumberedEvent | undefined>;
}

/** An update to accept. */
export interface AcceptedUpdate {
  readonly id: string;
  readonly token: string;
  readonly body: OrderUpdate;
  readonly repeats?: string;
}

/** Hands an update that was just accepted to whoever sends it, as a step of the same change. */
export type HandOver = (transaction: Transaction<Tables>, update: AcceptedUpdate) => Promise<unknown>;

/** A change of an update, and the event that tells it, stored together. */
export interface UpdateChange {
  readonly update: UpdateView;
  readonly event: NumberedEvent;
}

export interface UpdateStore {
  /**
   * Accepts an update as `queued`; with `handOver`, as one that the outbox sends: neither stands without the other. An id
   * that is known already changes nothing and comes back without an event, so that asking twice sends once.
   */
  accept(
    update: AcceptedUpdate,
    handOver?: HandOver,
  ): Promise<{ readonly update: UpdateView; readonly event?: NumberedEvent }>;
  /** Stores that bytes may leave: to be waited for before each attempt. Throws when the update is settled already. */
  markSending(id: string, attempt: number): Promise<NumberedEvent>;
  /**
   * Stores what became of it. An applied update becomes the order's body, and the order's draft is forgotten when it was
   * saved before the update was accepted.
   */
  settle(id: string, report: UpdateReport): Promise<UpdateChange>;
  /** Stores a person's choice for an unknown outcome. Undefined when there is nothing to choose (any more). */
  decide(id: string, decision: Decision): Promise<UpdateChange | undefined>;
  /**
   * Stores the choice to send an unknown outcome again, and accepts the update that does so under a new id, in one
   * transaction: neither stands without the other. Undefined when there is nothing to choose (any more).
   */
  repeat(
    id: string,
    newId: string,
    handOver?: HandOver,
  ): Promise<
    | { readonly decided: UpdateChange; readonly queued: UpdateChange & { readonly body: OrderUpdate } }
    | undefined
  >;
  find(id: string): Promise<(UpdateView & { readonly body: OrderUpdate }) | undefined>;
  /** The latest updates of an order, newest first. */
  listOf(token: string, limit: number): Promise<readonly UpdateView[]>;
  /** Every update that waits for a person, oldest first, at most `limit`. */
  listUndecided(limit: number): Promise<readonly UpdateView[]>;
  /** Updates that the outbox has before it, in the order of acceptance, at most `limit`. */
  listWaiting(limit: number): Promise<readonly WaitingUpdate[]>;
  /** How many updates an outbox has before it, or keeps for a decision on what became of them. */
  countInOutbox(): Promise<number>;
  /**
   * What a start of the process finds left behind of what the desk's own client sends: `sending` becomes `unknown`,
   * `queued` becomes `not_sent`, each with a report that says so and an event. Gives the changes.
   */
  recover(): Promise<readonly UpdateChange[]>;
}

export interface EventStore {
  /** Stores an event that changes nothing else. */
  append(event: StoredEvent): Promise<NumberedEvent>;
  /** Events after a number, oldest first. */
  after(seq: number, limit: number): Promise<readonly NumberedEvent[]>;
  /** Events of an order's latest updates, oldest first. */
  ofOrder(token: string, limit: number): Promise<readonly NumberedEvent[]>;
  /**
   * Of each update that is open, holds its order in an outbox, or was settled since a moment, the first event and the last
   * of those that tell its stage, oldest first; of at most `limit` updates that are open, the oldest, as many that hold
   * their orders, and as many that were settled, the newest.
   */
  ofLanes(at: Date, limit: number): Promise<readonly NumberedEvent[]>;
  /** Events of one kind since a moment, oldest first, at most `limit` of the newest. */
  since(kind: StoredEvent['kind'], at: Date, limit: number): Promise<readonly NumberedEvent[]>;
  /** The highest number given; 0 when none was. */
  lastSeq(): Promise<number>;
}

/** The state of the outbox in the desk's own tables. */
export interface OutboxMirror {
  /** Where the next page of changes begins; undefined before the first. */
  readCursor(): Promise<string | undefined>;
  /**
   * Brings updates to their latest state and stores the cursor with them. Resolves with the desk's events of the steps in
   * between; the same page again adds none.
   */
  take(changes: Changes): Promise<readonly NumberedEvent[]>;
  /** Ids of the updates that the outbox is to send, as far as is known. */
  listOpen(): Promise<readonly string[]>;
  /**
   * Takes updates back that the outbox does not know any more: what became of them is unknown, for a person to decide.
   * Gives the events that tell it.
   */
  takeBack(ids: readonly string[]): Promise<readonly NumberedEvent[]>;
}
