import { explain, OrderUpdate } from '@orders/schema';
import { sent } from './facts.ts';

/** What a form shows of a body that will not do. */
export function explainBadOrder(): string {
  const parsed = OrderUpdate.safeParse({
    orderId: 'A-1',
    cart: { items: [{ name: 'Mug', unit_price: 99.5 }] },
  });
  if (parsed.success) throw new Error('A body with two mistakes passed.');
  return explain(parsed.error)
    .map(({ path, code, hint }) => `${path} ${code}${hint ? '' : ' without a hint'}`)
    .join(', ');
}

/** A body that will do. */
export function checkOrder(): OrderUpdate {
  return OrderUpdate.parse(sent);
}
