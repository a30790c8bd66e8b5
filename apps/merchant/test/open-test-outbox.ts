import { createOutbox, type Outbox, type OutboxClient } from '@orders/outbox';
import type { DeskStorage } from '../src/storage/desk-storage.ts';
import { outboxSchema } from '../src/storage/outbox-mirror.ts';

export interface TestOutboxParts {
  readonly storage: Pick<DeskStorage, 'openOutboxStore'>;
  readonly orders: OutboxClient;
}

/** Opens the outbox of a desk; it tries again soon, and warns nobody. */
export async function openTestOutbox({ storage, orders }: TestOutboxParts): Promise<Outbox> {
  const store = await storage.openOutboxStore();
  return createOutbox({
    client: orders,
    store,
    databaseSchema: outboxSchema,
    maxRetryDelayMs: 200,
    warn() {},
  });
}
