import type { OutboxClient } from '@orders/outbox';

/** A client whose responses for an order arrive once they are released, however quick the service was. */
export function holdResponses({ client, token }: { readonly client: OutboxClient; readonly token: string }): {
  readonly client: OutboxClient;
  release(): void;
} {
  const held = Promise.withResolvers<void>();
  return {
    client: {
      prepareUpdateOrder: client.prepareUpdateOrder,
      echo: client.echo,
      safeUpdateOrder: async (...call) => {
        const result = await client.safeUpdateOrder(...call);
        if (call[0] === token) await held.promise;
        return result;
      },
    },
    release: held.resolve,
  };
}
