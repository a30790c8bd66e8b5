import type { NumberedEvent } from '../../contract/desk-event.ts';
import type { DeskStream } from './desk-stream.ts';

/**
 * Fetches data and takes in what happened meanwhile: an answer that was read before an event, and arrives after it,
 * would undo it. `fold` must take an event twice without harm.
 */
export async function fetchThenFold<T>(
  stream: Pick<DeskStream, 'listen'>,
  fetch: () => Promise<T>,
  fold: (data: T, event: NumberedEvent) => T,
): Promise<T> {
  const heard: NumberedEvent[] = [];
  const stop = stream.listen((message) => message.type === 'stored' && heard.push(message));
  try {
    const data = await fetch();
    return heard.reduce(fold, data);
  } finally {
    stop();
  }
}
