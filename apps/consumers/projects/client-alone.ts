/** A back end that has the client alone; its arguments are where the order is, and the transport. */
import process from 'node:process';
import { createOrdersClient } from '@orders/client';
import type { Place } from './facts.ts';
import { updateOneOrder } from './use-client.ts';

async function main({ url, key, token }: Place): Promise<void> {
  const orders = createOrdersClient({ baseUrl: url, apiKey: key });
  await updateOneOrder(orders, token, process.argv[3]);
  await orders.close();
}

void main(JSON.parse(process.argv[2] ?? ''));
