import { createOutbox, type Outbox, OutboxError, postgresStore } from '@orders/outbox';
import pg from 'pg';

/** A transaction of a caller that has enqueued an update, and holds its order until it ends. */
export interface OpenTransaction {
  /** Commits, or rolls back. Resolves with whether the update was accepted. */
  end(commits: boolean): Promise<boolean>;
}

/** A process that only enqueues, in transactions of its own that stay open for long. */
export class SlowCaller {
  readonly #connectionString: string;
  #outbox: Promise<Outbox> | undefined;

  constructor(connectionString: string) {
    this.#connectionString = connectionString;
  }

  /** Enqueues in a transaction. Rejects when nothing was accepted, and nothing will be. */
  async begin(token: string, id: string): Promise<OpenTransaction> {
    const outbox = await this.#open();
    const client = new pg.Client({ connectionString: this.#connectionString });
    // The database is restarted meanwhile.
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query('begin');
      await outbox.enqueue(token, { cart: { items: [{ sku: id, quantity: 1 }] } }, { id, tx: client });
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
    return {
      async end(commits) {
        try {
          await client.query(commits ? 'commit' : 'rollback');
          return commits;
        } catch {
          // The connection was lost: only the database knows whether the commit came first.
          return await isAccepted(outbox, id);
        } finally {
          await client.end().catch(() => {});
        }
      },
    };
  }

  async close(): Promise<void> {
    const outbox = await this.#outbox?.catch(() => undefined);
    await outbox?.close();
  }

  #open(): Promise<Outbox> {
    const connectionString = this.#connectionString;
    this.#outbox ??= createOutbox({ store: postgresStore({ connectionString }), migrate: false }).catch(
      (error) => {
        this.#outbox = undefined;
        throw error;
      },
    );
    return this.#outbox;
  }
}

async function isAccepted(outbox: Outbox, id: string): Promise<boolean> {
  for (;;) {
    try {
      return (await outbox.get(id)) !== undefined;
    } catch (error) {
      if (error instanceof OutboxError && error.code === 'closed') throw error;
      // The database is still down.
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}
