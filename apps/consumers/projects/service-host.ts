/** Runs one order service for consumers in other processes: tells where it is, and on request what it applied. */
import process from 'node:process';
import { startMockOrderService } from '@orders/testing';

async function main(orders: number): Promise<void> {
  const service = await startMockOrderService({ orders });
  const tokens = service.orders.map(({ token }) => token);
  process.on('message', (token: string) => process.send?.({ token, applied: service.appliedUpdates(token) }));
  process.once('disconnect', () => void service.close());
  process.send?.({ url: service.url, key: service.key, tokens });
}

void main(Number(process.argv[2]));
