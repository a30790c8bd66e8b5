import { rest } from '../rest.ts';
import { drawStatus, type Sight } from './draw-status.ts';
import { lookAgain } from './look-again.ts';
import type { Operations } from './operations.ts';
import type { Place } from './place.ts';
import { jsonLine, type Screen } from './screen.ts';

/** What keeps a part of a terminal up to date. */
export interface LiveText {
  (text: string): void;
  /** Leaves what is shown, and gives the cursor back. */
  done(): void;
}

/** How often a live table is drawn, in milliseconds. */
const everyMs = 1_000;

/** Shows an outbox once. */
export async function showStatus(operations: Operations, asJson: boolean, screen: Screen): Promise<void> {
  const { place, isAlone } = operations;
  const backlog = await operations.backlog();
  const left = backlog.sending > 0 ? ' What is shown as being sent is parked once one is.' : '';
  const note = isAlone ? { note: `No "orders-outbox work" is on it.${left}` } : {};
  const sight = { place, backlog, at: new Date(), ...note };
  screen.print(asJson ? jsonLine(sightJson(sight)) : drawStatus(sight, screen.paint));
}

/** Shows an outbox each second until the signal fires, as lines of JSON, or as a table where there is a live text. */
export async function watchStatus(
  { place, operations, signal }: { place: Place; operations: Operations; signal: AbortSignal },
  screen: Screen,
  live?: LiveText,
): Promise<void> {
  const looks = await lookAgain(place, operations);
  try {
    do {
      const sight = await looks.look();
      if (live) live(drawStatus(sight, screen.paint));
      else screen.print(jsonLine(sightJson(sight)));
    } while (await rest(everyMs, signal));
  } finally {
    live?.done();
    await looks.close();
  }
}

function sightJson({ place, at, backlog, note }: Sight): object {
  return { at, place, ...backlog, ...(note === undefined ? {} : { note }) };
}
