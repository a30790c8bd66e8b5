import { createOrdersClient, type OrdersClient } from '@orders/client';
import { documentedExample } from '@orders/testing';
import { type Case, check, checkSame } from './case.ts';
import { bodies, type DocumentedBody, unique } from './documented-bodies.ts';
import type { Prism } from './prism.ts';
import { randomMistakes, randomUpdates } from './random-bodies.ts';
import { apiKey } from './service-cases.ts';
import { placesOf, type Violation, violationsOf, watchAnswers } from './violations.ts';

const token = 'a/b?c#d%2f';
const json = { 'content-type': 'application/json' };
const authorization = `Basic ${Buffer.from(`${apiKey}:`).toString('base64')}`;

function row(name: string, meet: (prism: Prism) => Promise<string>): Case {
  return { peer: 'prism mock', name, run: ({ mock }) => meet(mock) };
}

/** Our OpenAPI document, served by Prism, which judges every request by it. */
export const prismMockCases: readonly Case[] = [
  row('accepts the documented example from our client', (prism) => sendAll(prism, [documentedExample()])),
  row('accepts a cart alone', (prism) => sendAll(prism, [{ cart: {} }, { cart: { items: [] } }])),
  row('accepts every documented field by itself', (prism) => sendAll(prism, fieldByField())),
  row('accepts what else the table of bodies says is valid', (prism) =>
    sendAll(
      prism,
      bodies
        .filter((each) => each.places.length === 0 && !each.isBeyond)
        .map((each) => JSON.parse(each.json)),
    ),
  ),
  row('accepts random valid bodies', (prism) => sendAll(prism, randomUpdates(100))),
  row('accepts the echo of our client', async (prism) => {
    await using orders = createOrdersClient({ baseUrl: prism.url, apiKey });
    const { value, violations } = await watchAnswers(prism.url, () => orders.echo());
    checkSame('violations', violations, []);
    return `${value.status}, no violation`;
  }),
  row('refuses what the table of bodies says is invalid, at the same places', (prism) =>
    refuseBodies(prism, bodies),
  ),
  row('refuses random invalid bodies, at the same places', (prism) =>
    refuseBodies(prism, randomMistakes(100)),
  ),
  row('accepts what a JSON Schema cannot know, which our client does not send', acceptBeyond),
  row('refuses a request without Authorization', (prism) =>
    refuse(prism, { headers: json, body: '{"cart":{}}' }, 401),
  ),
  row('refuses a bearer token', (prism) =>
    refuse(prism, { headers: { ...json, authorization: 'Bearer abc' }, body: '{"cart":{}}' }, 401),
  ),
  row('refuses a body of another type', (prism) =>
    refuse(prism, { headers: { authorization, 'content-type': 'text/plain' }, body: '{"cart":{}}' }, 415),
  ),
  row('refuses an update without a body', (prism) => refuse(prism, { headers: { authorization } }, 422)),
];

/** One body for each documented field, and the rest of what `cart` holds beside it. */
function fieldByField(): readonly { readonly cart: object }[] {
  const { cart, ...fields } = documentedExample();
  const line = cart.items[0] ?? {};
  return [
    ...Object.entries(fields).map(([name, value]) => ({ cart: {}, [name]: value })),
    ...Object.entries(line).map(([name, value]) => ({ cart: { items: [{ [name]: value }] } })),
    ...Object.entries(fields.hooks).map(([name, value]) => ({ cart: {}, hooks: { [name]: value } })),
  ];
}

/** Every update goes through our client, and Prism holds nothing against any. */
async function sendAll(prism: Prism, updates: readonly { readonly cart: object }[]): Promise<string> {
  await using orders = createOrdersClient({ baseUrl: prism.url, apiKey });
  const send = async (): Promise<number> => {
    let applied = 0;
    for (const update of updates) if ((await orders.safeUpdateOrder(token, update)).ok) applied += 1;
    return applied;
  };
  const { value, answers, violations } = await watchAnswers(prism.url, send);
  checkSame('violations', violations, []);
  checkSame('applied and answered', [value, answers], [updates.length, updates.length]);
  return `no violation, updates: ${answers}`;
}

async function refuseBodies(prism: Prism, given: readonly DocumentedBody[]): Promise<string> {
  const refused = given.filter(({ places }) => places.length > 0);
  for (const { name, json: body, places } of refused) {
    const { status, violations } = await sendRaw(prism, { headers: { ...json, authorization }, body });
    checkSame(`status of ${name}`, status, 422);
    checkSame(name, unique(placesOf(violations)), places);
  }
  return `${refused.length} bodies, 422 each`;
}

async function acceptBeyond(prism: Prism): Promise<string> {
  await using orders = createOrdersClient({ baseUrl: prism.url, apiKey });
  const beyond = bodies.filter(({ isBeyond }) => isBeyond);
  for (const { name, json: body } of beyond) {
    const { status, violations } = await sendRaw(prism, { headers: { ...json, authorization }, body });
    checkSame(name, [status, violations], [200, []]);
    checkSame(`${name} by our client`, await refusedBy(orders, body), ['validation_error', 'not_sent']);
  }
  return `${beyond.length} bodies`;
}

async function refusedBy(orders: OrdersClient, body: string): Promise<readonly unknown[]> {
  const { error } = await orders.safeUpdateOrder(token, JSON.parse(body));
  return [error?.code, error?.outcome];
}

async function refuse(prism: Prism, request: RequestInit, wanted: number): Promise<string> {
  const { status, violations } = await sendRaw(prism, request);
  checkSame('status', status, wanted);
  check(violations.length > 0, 'no violation');
  return `${status}: ${violations.map(({ message }) => message).join(', ')}`;
}

/** What our client would not send. */
async function sendRaw(
  { url }: Prism,
  request: RequestInit,
): Promise<{ readonly status: number; readonly violations: readonly Violation[] }> {
  const path = `/v2/orders/${encodeURIComponent(token)}`;
  const answer = await fetch(url + path, {
    method: 'PATCH',
    ...request,
    signal: AbortSignal.timeout(10_000),
  });
  await answer.arrayBuffer();
  return { status: answer.status, violations: violationsOf(answer) };
}
