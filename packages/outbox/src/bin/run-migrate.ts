import { createOutbox } from '../create-outbox.ts';
import { sendsNothing } from './open-outbox-to-look.ts';
import { openStore } from './open-store.ts';
import type { Place } from './place.ts';
import { jsonLine, type Screen } from './screen.ts';
import { readTablesVersion } from './tables-version.ts';
import { waitForFolder } from './wait-for-folder.ts';

/** Makes the tables of an outbox, or brings them up to date, and says what was done. */
export async function migrateTables(place: Place, asJson: boolean, screen: Screen): Promise<void> {
  const { where, schema } = place;
  const found =
    'folder' in where
      ? await waitForFolder({ folder: where.folder, schema }, () => openStore(place))
      : { opened: await openStore(place) };
  if ('worker' in found) {
    const { place: name } = found.worker;
    await found.worker.close();
    const told = { place: name, schema, message: 'The process that works on it brought it up to date.' };
    return screen.print(asJson ? jsonLine(told) : `${told.message}\n`);
  }
  const { opened: store } = found;
  let before: number | undefined;
  try {
    before = await readTablesVersion(store, schema);
  } catch (error) {
    await store.close();
    throw error;
  }
  const outbox = await createOutbox({ client: sendsNothing, store, schema, warn: screen.complain });
  try {
    const after = await readTablesVersion(store, schema);
    const told = { place: store.place, schema, from: before ?? null, to: after };
    const tables = `tables in schema ${schema} of ${store.place}`;
    if (asJson) screen.print(jsonLine(told));
    else if (before === undefined) screen.print(`Made the ${tables}, version ${after}.\n`);
    else if (before === after) screen.print(`The ${tables} are up to date, version ${after}.\n`);
    else screen.print(`Brought the ${tables} from version ${before} to ${after}.\n`);
  } finally {
    await outbox.close({ graceMs: 0 });
  }
}
