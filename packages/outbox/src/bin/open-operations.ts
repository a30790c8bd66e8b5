import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import { OutboxError } from '../outbox-error.ts';
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
  try {
    const found = await waitForFolder({ folder: where.folder, schema }, openHere);
    return 'worker' in found ? found.worker : found.opened;
  } catch (error) {
    if (error instanceof OutboxError && error.code === 'folder_in_use') throw explain(where.folder, error);
    throw error;
  }
}

/** Whoever looks or decides wants nobody to be ended. */
function explain(folder: string, cause: OutboxError): OutboxError {
  const advice = isHidden(join(folder, 'worker.json'))
    ? 'a process of another user: run this as that user'
    : 'an application that has it open: decide there, by listDecisions, retry and discard';
  return new OutboxError('folder_in_use', `${folder} is in use by ${advice}.`, { cause });
}

function isHidden(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES';
  }
}
