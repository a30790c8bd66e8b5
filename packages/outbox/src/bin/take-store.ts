import { OutboxError } from '../outbox-error.ts';
import type { OutboxStore } from '../store/outbox-store.ts';
import { openStore } from './open-store.ts';
import type { Place } from './place.ts';
import { waitForFolder } from './wait-for-folder.ts';

/**
 * Opens the store of a place for a process that keeps it.
 *
 * @throws OutboxError `folder_in_use`, `folder_unusable`; CommandFailure
 */
export async function takeStore(place: Place): Promise<OutboxStore> {
  const { where, schema } = place;
  if (!('folder' in where)) return openStore(place);
  const { folder } = where;
  const found = await waitForFolder({ folder, schema }, () => openStore(place));
  if ('opened' in found) return found.opened;
  await found.worker.close();
  const message = `${folder} is in use by another "orders-outbox work": end it, or choose another folder; for several processes use PostgreSQL.`;
  throw new OutboxError('folder_in_use', message);
}
