import { fieldNames } from '../../contract/desk-update.ts';
import type { OrderForm } from './order-form.ts';

type TopField = Exclude<keyof OrderForm, 'scanned'>;

const [reference, note] = fieldNames.metadata;

/** The parts of the form, and the fields that each shows, in the order they stand in. */
export const orderSections = {
  order: [
    'order_id',
    'purchase_currency',
    'require_shipping',
    'express_shipping',
    fieldNames.totalAmount,
    fieldNames.vatAmount,
  ],
  cart: ['cart'],
  address: ['shipping_address'],
  buyer: ['user_session_id', 'user_identifier', fieldNames.qrSessionId],
  hooks: ['hooks'],
  more: [reference, note, 'carried'],
} as const satisfies Record<string, readonly TopField[]>;
export type SectionName = keyof typeof orderSections;

export const sectionNames = Object.keys(orderSections) as SectionName[];

/** Every field at the top of the form, in the order they stand in. */
export const fieldsInOrder: readonly TopField[] = sectionNames.flatMap((name) => orderSections[name]);
