// First, before anything fails without it.
import './node-version.ts';

export type { Decision } from './decide.ts';
export type { EnqueueAllOptions, EnqueueItem, EnqueueOptions } from './enqueue.ts';
export { OutboxError, type OutboxErrorCode, requiredGrants } from './errors.ts';
export {
  type DrizzleExecutor,
  type DrizzleSql,
  fromDrizzle,
  fromKysely,
  type KyselyExecutor,
} from './executors.ts';
export type { HeldUpdates } from './held.ts';
export type { Rate } from './limits.ts';
export type { OutboxClient, OutboxOptions, SettledUpdate, UnknownUpdate } from './options.ts';
export { createOutbox, type Drained, migrate, type Outbox } from './outbox.ts';
export { type PostgresStoreOptions, postgresStore } from './postgres-store.ts';
export type { Changes, ChangesOptions, ListOptions, OutboxStatus } from './read.ts';
export type { OutboxSendTrace } from './send.ts';
export type { RejectedChoice, UnknownChoice } from './settlement.ts';
export type { OutboxStore, Sql, Subscription, TransactionOptions } from './store.ts';
export type { HeldBy, HeldReason, UpdateDetails, UpdateState, UpdateStatus } from './updates.ts';
