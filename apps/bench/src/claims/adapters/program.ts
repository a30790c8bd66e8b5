/** What the adapters have in common: the contract of `orders judge`, and nothing of HTTP. */
import { readFileSync } from 'node:fs';
import process from 'node:process';
import type { OrderUpdate } from '@orders/schema';

interface Given {
  readonly id: string;
  readonly token: string;
  readonly update: OrderUpdate;
}

const { ORDERS_BASE_URL = '', ORDERS_API_KEY = '', ORDERS_FILE = '', ORDERS_TIMEOUT_MS } = process.env;
export const baseUrl = ORDERS_BASE_URL;
export const apiKey = ORDERS_API_KEY;
/** The time limit of an attempt, which the default setting of a client does not know. */
export const timeoutMs = Number(ORDERS_TIMEOUT_MS);
export const isSafest = process.argv[2] === 'safest';
export const headers = {
  authorization: `Basic ${btoa(`${apiKey}:`)}`,
  'content-type': 'application/json',
  accept: 'application/json',
};

/** Reads JSON, of which there is none in a success without a body. */
export const parseJson = (text: string): unknown => (text === '' ? undefined : JSON.parse(text));

/** All updates, those of one order in sequence. */
export const updates: readonly Given[] = readFileSync(ORDERS_FILE, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

export function report(id: string, claim: { readonly ok: boolean } | { readonly outcome: string }): void {
  process.stdout.write(`${JSON.stringify({ id, ...claim })}\n`);
}

/** Sends all orders at the same time, and the updates of each one after another. */
export async function sendInSequence(send: (given: Given) => Promise<void>): Promise<void> {
  const orders = Map.groupBy(updates, ({ token }) => token);
  await Promise.all(
    [...orders.values()].map(async (own) => {
      for (const given of own) await send(given);
    }),
  );
}

/** For a client that resolves or rejects: what it resolves with was applied, what it rejects with is an error. */
export async function sendAll(send: (token: string, update: OrderUpdate) => Promise<unknown>): Promise<void> {
  await sendInSequence(async ({ id, token, update }) => {
    const ok = await send(token, update).then(
      () => true,
      () => false,
    );
    report(id, { ok });
  });
}
