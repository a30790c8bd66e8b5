// app/api/orders/[id]/route.ts
import { createOrdersClient } from '@orders/client';
import { toCustomerResponse } from './outcomes.ts';

const orders = createOrdersClient({
  baseUrl: process.env.ORDERS_URL ?? 'https://api.example.com',
  // Read at each attempt, so `next build` works without the variable.
  apiKey: () => process.env.ORDERS_API_KEY,
});
// Your database instead.
const orderTokens = new Map([['A-1001', process.env.ORDER_TOKEN ?? '']]);

export async function POST(
  request: Request,
  { params }: { params: Promise<{ id: string }> },
): Promise<Response> {
  // Check here that this user may change this order.
  const token = orderTokens.get((await params).id);
  if (token === undefined)
    return Response.json(
      { message: 'There is no such order.' },
      { status: 404 },
    );
  // A body that is not JSON becomes a validation error.
  const update = await request.json().catch(() => undefined);
  const result = await orders.safeUpdateOrder(token, update);
  if (!result.ok) console.error(`${result.error.receipt}`);
  const { status, body } = toCustomerResponse(result);
  return Response.json(body, { status });
}
