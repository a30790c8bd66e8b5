import { randomBytes } from 'node:crypto';
import { buildOrderUpdate } from '@orders/testing';
import { webhookUrlOf } from '../server/webhook-url.ts';
import type { NewOrder } from '../storage/desk-storage.ts';
import { sampleDrafts } from './sample-drafts.ts';

/** What the desk is to know of the orders of its own order service: samples, each with its webhook address at this desk. */
export function sampleOrders(tokens: readonly string[], publicUrl: string): readonly NewOrder[] {
  return sampleDrafts().flatMap((draft, index) => {
    const token = tokens[index];
    if (token === undefined) return [];
    const webhookSecret = randomBytes(24).toString('base64url');
    const webhook_url = webhookUrlOf(publicUrl, { token, webhookSecret });
    return { token, webhookSecret, body: { ...draft, hooks: { ...draft.hooks, webhook_url } } };
  });
}

/** What the desk is to know of the orders of another order service: an empty cart, for the person to fill. */
export function namedOrders(tokens: readonly string[]): readonly NewOrder[] {
  return tokens.map((token) => ({ token, body: buildOrderUpdate() }));
}
