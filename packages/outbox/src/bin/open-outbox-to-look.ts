import { createOutbox } from '../create-outbox.ts';
import type { OutboxOptions } from '../outbox-options.ts';
import { CommandFailure } from './command-failure.ts';
import { openStore } from './open-store.ts';
import { type Operations, operationsOf } from './operations.ts';
import type { Place } from './place.ts';
import { readTablesVersion } from './tables-version.ts';

/** Stands where a client must: without `work()` nothing is ever asked of it. */
export const sendsNothing: OutboxOptions['client'] = {
  prepareUpdateOrder: () => refuse(),
  safeUpdateOrder: () => refuse(),
};

/** Opens an outbox in this process, without sending. @throws CommandFailure when there is none; OutboxError */
export async function openOutboxToLook(place: Place, warn: (message: string) => void): Promise<Operations> {
  const { schema } = place;
  const store = await openStore(place);
  try {
    if ((await readTablesVersion(store, schema)) === undefined) {
      throw new CommandFailure(
        `There is no outbox in schema ${schema} of ${store.place}; --schema names another, and "orders-outbox migrate" makes one.`,
      );
    }
  } catch (error) {
    await store.close();
    throw error;
  }
  const outbox = await createOutbox({ client: sendsNothing, store, schema, warn });
  return operationsOf(outbox, { place: store.place, isAlone: store.exclusive });
}

function refuse(): never {
  throw new TypeError('This command sends nothing.');
}
