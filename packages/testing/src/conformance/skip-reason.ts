import type { ConformanceCase, ConformanceNeed } from './conformance-case.ts';
import type { ConformanceSettings } from './read-options.ts';

/** Why a case is not to be tried; undefined when it is. */
export function skipReasonOf(
  { id, needs, changes }: ConformanceCase,
  { skip, given, isDisposable }: Pick<ConformanceSettings, 'skip' | 'given' | 'isDisposable'>,
): string | undefined {
  if (skip.has(id)) return 'asked to be skipped';
  const missing = needs.find((need) => !given.has(need));
  if (missing !== undefined) return `needs ${NEEDS[missing]}`;
  const isUnsafe = changes === 'order' && !isDisposable;
  return isUnsafe ? 'could change the order, which is not said to be disposable' : undefined;
}

const NEEDS: Readonly<Record<ConformanceNeed, string>> = {
  orderToken: 'the token of an order',
  otherTypeKey: 'a key of another type',
  currency: 'a currency that the service takes',
  shippingAddress: 'a shipping address that the service takes',
  firstMetadata: 'the name of the first metadata string',
  secondMetadata: 'the name of the second metadata string',
  totalAmount: 'the name of the total amount',
  vatAmount: 'the name of the V.A.T. amount',
  qrSessionId: 'the name of the session identifier of a QR payment',
};
