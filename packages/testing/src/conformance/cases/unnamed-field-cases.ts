import type { ConformanceCase } from '../conformance-case.ts';
import { LINE_TOTAL } from '../requests.ts';
import { accepted, longText, refused } from './body-case.ts';

const metadataCases = (
  [
    ['first', 'firstMetadata'],
    ['second', 'secondMetadata'],
  ] as const
).flatMap(([which, need]) => [
  accepted({
    id: `accepts-${which}-metadata-of-255`,
    title: `The ${which} metadata string is accepted with 255 characters`,
    source: 'Limits',
    strength: 'stated',
    needs: [need],
    fields: (context) => ({ [context[need]]: longText(255, context) }),
  }),
  refused({
    id: `refuses-${which}-metadata-of-256`,
    title: `The ${which} metadata string is refused with 256 characters`,
    source: 'Limits',
    strength: 'stated',
    needs: [need],
    fields: (context) => ({ [context[need]]: longText(256, context) }),
  }),
  refused({
    id: `refuses-${which}-metadata-as-number`,
    title: `The ${which} metadata string is refused when it is a number`,
    source: 'Order',
    strength: 'implied',
    needs: [need],
    fields: (context) => ({ [context[need]]: 7 }),
  }),
]);

const amountCases = (
  [
    ['total', 'totalAmount', LINE_TOTAL],
    ['vat', 'vatAmount', 0],
  ] as const
).flatMap(([which, need, right]) => [
  accepted({
    id: `accepts-${which}-amount`,
    title: `The ${which} amount that fits the cart is accepted`,
    source: 'Order',
    strength: 'stated',
    needs: [need],
    fields: (context) => ({ [context[need]]: right }),
  }),
  ...(
    [
      ['over-int32', 'is too large for an int32', 2_147_483_648],
      ['as-fraction', 'is a fraction', right + 0.5],
      ['as-string', 'is a string', String(right)],
    ] as const
  ).map(([how, words, value]) =>
    refused({
      id: `refuses-${which}-amount-${how}`,
      title: `The ${which} amount is refused when it ${words}`,
      source: 'Order',
      strength: 'implied',
      needs: [need],
      fields: (context) => ({ [context[need]]: value }),
    }),
  ),
]);

/** The fields that the document describes without naming (interface document, Order), tried where names are given. */
export const unnamedFieldCases: readonly ConformanceCase[] = [
  ...metadataCases,
  ...amountCases,
  // None is known to be accepted: its value comes with a webhook.
  refused({
    id: 'refuses-qr-session-id-as-number',
    title: 'The session identifier of a QR payment is refused when it is a number',
    source: 'Order',
    strength: 'implied',
    needs: ['qrSessionId'],
    fields: ({ qrSessionId }) => ({ [qrSessionId]: 7 }),
  }),
];
