/** The same over `fetch`, asked for by name. */
import process from 'node:process';
import { createOrdersClient } from '@orders/client/fetch';
import type { Place } from './facts.ts';
import { updateOneOrder } from './use-client.ts';

async function main({ url, key, token }: Place): Promise<void> {
  const orders = createOrdersClient({ baseUrl: url, apiKey: key });
  await updateOneOrder(orders, token, 'fetch');
  await orders.close();
}

void main(JSON.parse(process.argv[2] ?? ''));
