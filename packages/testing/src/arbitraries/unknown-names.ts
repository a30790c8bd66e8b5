import fc from 'fast-check';
import { PROTO } from './json-values.ts';
import { declaredNames, type Level, type OrderModel } from './order-model.ts';
import { texts } from './texts.ts';

/** Names that the document places elsewhere, so that they are refused at the top of an order. */
export const MISPLACED = [
  'user_return_url_on_success',
  'user_return_url_on_fail',
  'terms_url',
  'webhook_url',
  'items',
];

/** The name that is refused at the top of an order because this operation does not set it. */
export const BILLING_ADDRESS = 'billing_address';

const MERELY_UNKNOWN = [
  'merchant_order_id',
  'note',
  'fulfill',
  'cards',
  'hook',
  'typ',
  'names',
  'vat_amount',
  'quantity',
  'order_number',
  'constructor',
  'toJSON',
  '',
  '0',
  'a b',
  'größe',
  '🧡',
  BILLING_ADDRESS,
  ...MISPLACED,
];

/** Names of fields that nobody declared and nobody takes for a mistake: they pass as they are. */
export function unknownNames(model: OrderModel, level: Level): fc.Arbitrary<string> {
  const declared = declaredNames(model, level);
  return fc
    .oneof(fc.constantFrom(...MERELY_UNKNOWN), texts())
    .filter((name) => passesAsUnknown(name, level, declared));
}

/** Whether a field passes that is named so and that is not declared. */
export function passesAsUnknown(name: string, level: Level, declared: readonly string[]): boolean {
  if (name === PROTO || declared.includes(name)) return false;
  if (level === 'order' && isStray(name)) return false;
  return !declared.some((known) => isMisspelling(name, known));
}

/** Whether a name is refused at the top of an order, unless it is declared there. */
export function isStray(name: string): boolean {
  return name === BILLING_ADDRESS || MISPLACED.includes(name);
}

/** Equal but for case and underscores, or one edit away in a name of six letters or more. */
export function isMisspelling(name: string, known: string): boolean {
  const written = name.toLowerCase().split('_').join('');
  const meant = known.toLowerCase().split('_').join('');
  if (written === meant) return true;
  if (meant.length < 6) return false;
  const [a, b] = differing(written, meant);
  const isSwap = a.length === 2 && b.length === 2 && a[0] === b[1] && a[1] === b[0];
  return isSwap || (a.length <= 1 && b.length <= 1);
}

/** What is left of two texts without what they begin and end with alike. */
function differing(a: string, b: string): readonly [string, string] {
  const shorter = Math.min(a.length, b.length);
  let head = 0;
  while (head < shorter && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < shorter - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  return [a.slice(head, a.length - tail), b.slice(head, b.length - tail)];
}
