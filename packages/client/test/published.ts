import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** The next message on a diagnostics channel, of undici or of Node. */
export function published(channel: string): Promise<unknown> {
  return new Promise((resolve) => {
    const take = (message: unknown): void => {
      unsubscribe(channel, take);
      resolve(message);
    };
    subscribe(channel, take);
  });
}
