import { fieldNames } from '../../contract/desk-update.ts';

/** Fields of the order that are text on the wire as well. */
export const textNames = [
  'order_id',
  'purchase_currency',
  'user_session_id',
  'user_identifier',
  fieldNames.qrSessionId,
  ...fieldNames.metadata,
] as const;
export type TextName = (typeof textNames)[number];

/** Fields of the order that are whole numbers on the wire. */
export const amountNames = [fieldNames.totalAmount, fieldNames.vatAmount] as const;
export type AmountName = (typeof amountNames)[number];

/** Fields of the order that hold, do not hold, or are left out. */
export const choiceNames = ['require_shipping', 'express_shipping'] as const;
export type ChoiceName = (typeof choiceNames)[number];

export const hookNames = [
  'user_return_url_on_success',
  'user_return_url_on_fail',
  'terms_url',
  'webhook_url',
] as const;
export type HookName = (typeof hookNames)[number];

export const numberNames = ['quantity', 'unit_price', 'discount_rate', 'vat_amount'] as const;
export type NumberName = (typeof numberNames)[number];

/** Whether something holds; the empty choice leaves the field out. */
export type Choice = '' | 'yes' | 'no';

/**
 * What an object of the update holds besides the fields that are shown, as JSON text; empty for nothing. Text, because
 * a form library would look into an object, and lose what it does not expect there.
 */
export type Carried = string;

/** A line as it is typed. `kind` is the line's `type`, a name that the form library keeps for its errors. */
export interface FormLine extends Record<NumberName, string> {
  kind: string;
  sku: string;
  name: string;
  carried: Carried;
}

/** The cart as it is typed. */
export interface FormCart {
  items: FormLine[];
  /** Whether an empty list of lines is sent; without it, a cart without lines says nothing of lines. */
  isListed: boolean;
  carried: Carried;
}

/** The addresses as they are typed. */
export interface FormHooks extends Record<HookName, string> {
  carried: Carried;
}

/**
 * An order as it is typed: text throughout, and empty text for what is left out. It needs nothing besides to become an
 * update.
 */
export interface OrderForm extends Record<TextName | AmountName, string>, Record<ChoiceName, Choice> {
  /** JSON text. */
  shipping_address: string;
  cart: FormCart;
  hooks: FormHooks;
  carried: Carried;
  /** The session of the scanner that was put into the form last, so that it is put there once; no field of the update. */
  scanned: string;
}

/** The most lines that a form takes: what the desk's server takes at once holds about as many. */
export const maxLines = 20_000;

/** What a line begins as when it is added. */
export const emptyLine: FormLine = {
  kind: 'physical',
  sku: '',
  name: '',
  quantity: '1',
  unit_price: '',
  discount_rate: '',
  vat_amount: '',
  carried: '',
};
