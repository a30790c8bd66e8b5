import { createHash, timingSafeEqual } from 'node:crypto';
import type { KeptOrder } from '../storage/desk-storage.ts';

/** Where the order service reaches this desk for an order; its last part cannot be guessed. */
export function webhookUrlOf(
  publicUrl: string,
  { token, webhookSecret }: Pick<KeptOrder, 'token' | 'webhookSecret'>,
): string {
  return `${publicUrl}/hooks/${encodeURIComponent(token)}/${encodeURIComponent(webhookSecret)}`;
}

/** Compares in a time that tells nothing of the secret, its length included. */
export function isSameSecret(given: string, secret: string): boolean {
  return timingSafeEqual(digest(given), digest(secret));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
