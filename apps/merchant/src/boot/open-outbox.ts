import { createOutbox, type Outbox, type OutboxClient, OutboxError } from '@orders/outbox';
import type { DeskStorage } from '../storage/desk-storage.ts';
import { outboxSchema } from '../storage/outbox-mirror.ts';
import { StorageProblem } from '../storage/storage-problem.ts';

export interface OutboxParts {
  readonly storage: Pick<DeskStorage, 'openOutboxStore'>;
  readonly orders: OutboxClient;
  readonly warn: (line: string) => void;
}

/** The longest wait before the next attempt, in milliseconds: somebody looks on. */
const maxRetryDelayMs = 5_000;

/**
 * Opens the desk's outbox in the desk's own database; it sends nothing yet.
 *
 * @throws StorageProblem when its tables cannot be made or read.
 */
export async function openOutbox({ storage, orders, warn }: OutboxParts): Promise<Outbox> {
  const store = await storage.openOutboxStore();
  try {
    return await createOutbox({ client: orders, store, databaseSchema: outboxSchema, maxRetryDelayMs, warn });
  } catch (error) {
    if (!(error instanceof OutboxError)) throw error;
    throw new StorageProblem(error.message, { cause: error });
  }
}
