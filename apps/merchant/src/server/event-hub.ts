import type { DeskMessage } from '../contract/desk-event.ts';

/** Tells everyone who listens what happens, in the order it is told. */
export interface EventHub {
  publish(message: DeskMessage): void;
  /** Calls the listener with each message from now on; what it returns ends that. */
  subscribe(listener: (message: DeskMessage) => void): () => void;
}

/** A hub within one process: nothing is kept for those who come later. */
export function createEventHub(): EventHub {
  const listeners = new Set<(message: DeskMessage) => void>();
  return {
    publish(message) {
      for (const listener of listeners) listener(message);
    },
    subscribe(listener) {
      // Two subscriptions of one function stay two.
      const own = (message: DeskMessage) => listener(message);
      listeners.add(own);
      return () => {
        listeners.delete(own);
      };
    },
  };
}
