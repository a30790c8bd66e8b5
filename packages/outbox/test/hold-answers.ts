import type { OutboxOptions } from '@orders/outbox';
import type { Scene } from './scene.ts';

/** A client whose answers for the first order come once they are released, however quick the service was. */
export function holdAnswers({ client, token }: Pick<Scene, 'client' | 'token'>): {
  readonly client: OutboxOptions['client'];
  release(): void;
} {
  const held = Promise.withResolvers<void>();
  return {
    client: {
      prepareUpdateOrder: client.prepareUpdateOrder,
      safeUpdateOrder: async (...call) => {
        const result = await client.safeUpdateOrder(...call);
        if (call[0] === token) await held.promise;
        return result;
      },
    },
    release: held.resolve,
  };
}
