import { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import type { OutboxClient, OutboxSendTrace } from '@orders/outbox';
import type { AttemptView } from '../shared/api.ts';

/** How many attempts are remembered; they are in memory only, so nothing of a response is stored. */
const maxAttempts = 2_000;

/** The latest attempts of this process. */
export interface Attempts {
  /** Oldest first; of one order where a token is given. */
  list(token?: string): readonly AttemptView[];
}

/** Wraps the client that the outbox sends with, and notes when each attempt begins and ends. */
export function watchAttempts<Client extends OutboxClient<never>>(
  client: Client,
  onAttempt: (attempt: AttemptView) => void,
): Attempts & { readonly client: OutboxClient; stop(): void } {
  const { prepareUpdateOrder, safeUpdateOrder, echo, resume } = client as unknown as OutboxClient;
  const attempts = new Map<number, AttemptView>();
  let count = 0;
  // The outbox publishes which update it sends around each call of the client.
  const sending = new AsyncLocalStorage<string>();
  const { start } = tracingChannel<unknown, OutboxSendTrace>('orders.outbox.send');
  start.bindStore(sending, ({ id }) => id);
  const note = (attempt: AttemptView): void => {
    attempts.set(attempt.number, attempt);
    attempts.delete(attempt.number - maxAttempts);
    onAttempt(attempt);
  };
  return {
    list: (token) =>
      [...attempts.values()].filter((attempt) => token === undefined || attempt.token === token),
    stop() {
      start.unbindStore(sending);
    },
    client: {
      prepareUpdateOrder,
      echo,
      ...(resume && { resume }),
      async safeUpdateOrder(token, update, options) {
        const updateId = sending.getStore();
        const started = {
          number: ++count,
          token,
          ...(updateId !== undefined && { updateId }),
          startedAt: new Date().toISOString(),
        };
        const startedMs = performance.now();
        note(started);
        const result = await safeUpdateOrder(token, update, options);
        const { error } = result;
        const status = result.ok ? result.status : error && 'status' in error ? error.status : undefined;
        note({
          ...started,
          endedAt: new Date().toISOString(),
          durationMs: Math.round(performance.now() - startedMs),
          outcome: result.outcome,
          ...(status !== undefined && { status }),
          ...(error && { code: error.code }),
          ...(error?.retryAfterMs !== undefined && { retryAfterMs: error.retryAfterMs }),
        });
        return result;
      },
    },
  };
}
