// app/api/orders/[id]/route.ts
import { createOrdersClient } from '@orders/client';
import { toCustomerResponse } from './outcomes.ts';
import { buildCart, orderTokens, recordFailure } from './shop.ts';

const orders = createOrdersClient({
  baseUrl: process.env.ORDERS_BASE_URL ?? 'https://api.example.com',
  // Read at each attempt, so `next build` works without the variable.
  apiKey: () => process.env.ORDERS_API_KEY,
});

export async function POST(
  request: Request,
  { params }: { params: Promise<{ id: string }> },
): Promise<Response> {
  // Another site can post text; before JSON, the browser asks this one.
  const type = request.headers.get('content-type');
  if (!type?.startsWith('application/json'))
    return respond(415, { message: 'Please send JSON.' });
  // Check here that this user may change this order.
  const token = orderTokens.get((await params).id);
  if (token === undefined)
    return respond(404, { message: 'There is no such order.' });
  const text = await readText(request);
  if (text === undefined)
    return respond(413, { message: 'Please send less.' });
  const json = new Response(text).json();
  const cart = buildCart(await json.catch(() => undefined));
  if (cart === undefined)
    return respond(422, { message: 'Please check your input.' });
  const result = await orders.safeUpdateOrder(token, { cart });
  const { error } = result;
  if (error) recordFailure(error, token, cart);
  const { body, ...init } = toCustomerResponse(result);
  return Response.json(body, init);
}

/** Next.js does not limit the body of a route handler. */
async function readText({ body }: Request) {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (text.length <= 100_000) {
    const part = await reader?.read();
    if (!part || part.done) return text;
    text += part.value;
  }
  await reader?.cancel();
  return undefined;
}

function respond(status: number, body: unknown) {
  return Response.json(body, { status });
}
