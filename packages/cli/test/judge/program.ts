/** What the programs of these tests have in common, each of which the judge runs as a process of its own. */
import { readFileSync } from 'node:fs';
import process from 'node:process';
import type { OrderUpdate } from '@orders/schema';

const { ORDERS_BASE_URL = '', ORDERS_API_KEY = '', ORDERS_FILE = '' } = process.env;

interface GivenUpdate {
  readonly id: string;
  readonly token: string;
  readonly update: OrderUpdate;
}

export const updates = readFileSync(ORDERS_FILE, 'utf8')
  .trim()
  .split('\n')
  .map((line): GivenUpdate => JSON.parse(line));

export function report(line: {
  readonly id: string;
  readonly outcome?: string;
  readonly ok?: boolean;
}): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

export const headers = {
  authorization: `Basic ${btoa(`${ORDERS_API_KEY}:`)}`,
  'content-type': 'application/json',
};

/** Sends an update once, without following a redirect. */
export async function send(
  { token, update }: GivenUpdate,
  { version = 'v2', ...own }: RequestInit & { readonly version?: string } = {},
): Promise<Response> {
  return fetch(`${ORDERS_BASE_URL}/${version}/orders/${token}`, {
    method: 'PATCH',
    headers,
    body: JSON.stringify(update),
    redirect: 'manual',
    ...own,
  });
}
