import { AsyncLocalStorage } from 'node:async_hooks';

/** Set while a handler of an inbox runs, for all that it causes: what it enqueues must commit with its event. */
export const handling = new AsyncLocalStorage<{ hasReturned: boolean }>();
