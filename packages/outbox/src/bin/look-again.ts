import type { Backlog } from '../backlog.ts';
import { reasonOf } from '../reason-of.ts';
import { askWorker } from './ask-worker.ts';
import type { Sight } from './draw-status.ts';
import type { Operations } from './operations.ts';
import type { Place } from './place.ts';

/** Looks at an outbox again and again. */
export interface Looks {
  /** What is seen now, or what was seen last, with a note that says so. */
  look(): Promise<Sight>;
  close(): Promise<void>;
}

/**
 * Begins to look at an outbox through operations that are open. A folder that only this process can use is given free
 * after the first look: nothing changes in it meanwhile, and a worker must find it free.
 */
export async function lookAgain(
  place: Place,
  operations: Operations,
  now: () => Date = () => new Date(),
): Promise<Looks> {
  let open: Operations | undefined = operations;
  let last: { readonly at: Date; readonly backlog: Backlog };
  const take = async (from: Operations): Promise<void> => {
    last = { backlog: await from.backlog(), at: now() };
  };
  const drop = async (): Promise<void> => {
    await open?.close();
    open = undefined;
  };
  try {
    await take(operations);
    if (operations.isAlone) await drop();
  } catch (error) {
    await drop();
    throw error;
  }
  const findAgain = async (): Promise<Operations | undefined> =>
    'folder' in place.where ? askWorker(place.where.folder, place.schema) : undefined;

  async function look(): Promise<Sight> {
    const { place: name } = operations;
    let problem = 'No "orders-outbox work" is on it.';
    try {
      open ??= await findAgain();
      if (open) {
        await take(open);
        return { place: name, ...last };
      }
    } catch (error) {
      problem = `${reasonOf(error)}.`.replace(/\.+$/, '.');
      // A worker that ended is looked for anew; a database is asked again.
      if ('folder' in place.where) await drop();
    }
    return { place: name, ...last, at: now(), note: `${problem} Seen last at ${last.at.toISOString()}.` };
  }
  return { look, close: drop };
}
