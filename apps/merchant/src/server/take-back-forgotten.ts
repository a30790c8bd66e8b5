import type { Outbox } from '@orders/outbox';
import type { NumberedEvent } from '../contract/desk-event.ts';
import type { OutboxMirror } from '../storage/desk-storage.ts';

/** Updates that are looked for at once. */
const batch = 100;

/**
 * Takes updates back that the outbox should send and does not know: it forgets what is long over, or was made anew.
 * Gives the events that tell it.
 */
export async function takeBackForgotten(parts: {
  readonly outbox: Pick<Outbox, 'get'>;
  readonly mirror: OutboxMirror;
}): Promise<readonly NumberedEvent[]> {
  const { outbox, mirror } = parts;
  const open = await mirror.listOpen();
  const forgotten: string[] = [];
  for (let start = 0; start < open.length; start += batch) {
    const ids = open.slice(start, start + batch);
    const known = await Promise.all(ids.map((id) => outbox.get(id)));
    forgotten.push(...ids.filter((_, place) => known[place] === undefined));
  }
  return forgotten.length === 0 ? [] : mirror.takeBack(forgotten);
}
