import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CommandFailure } from './command-failure.ts';
import type { Operations } from './operations.ts';
import type { Place } from './place.ts';
import { waitForFolder } from './wait-for-folder.ts';

/**
 * Opens an outbox for commands that send nothing: by itself, or by asking the process that works on its folder.
 *
 * @throws CommandFailure when there is no outbox.
 * @throws OutboxError `folder_in_use`, `folder_unusable`, `database_unusable` or `newer_tables`
 */
export async function openOperations(place: Place, warn: (message: string) => void): Promise<Operations> {
  const openHere = async (): Promise<Operations> => {
    // Whoever asks another process needs neither of the databases.
    const { openOutboxToLook } = await import('./open-outbox-to-look.ts');
    return openOutboxToLook(place, warn);
  };
  const { where, schema } = place;
  if (!('folder' in where)) return openHere();
  // Opening it would make it, in a folder whose name may be a slip.
  if (!existsSync(join(where.folder, 'data'))) {
    const command = `orders-outbox migrate --folder ${where.folder}`;
    throw new CommandFailure(`There is no outbox in ${where.folder}; "${command}" makes one.`);
  }
  const found = await waitForFolder({ folder: where.folder, schema }, openHere);
  return 'worker' in found ? found.worker : found.opened;
}
