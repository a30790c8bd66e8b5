import {
  currencyCodes,
  type DefinedOrderUpdate,
  defineOrderUpdate,
  type OrderUpdate,
  type OrderUpdateDefinition,
  type OrderUpdateFields,
} from '@orders/schema';
import fc from 'fast-check';
import { texts } from './values.ts';

/** The options of `defineOrderUpdate`. */
export type Definition = OrderUpdateDefinition;

/** What is defined when no definition is given. */
export type NoDefinition = Record<never, never>;

/** The update that a definition describes: the type that the schema of `defineOrderUpdate` has. */
export type UpdateOf<D extends Definition> = [keyof D] extends [never] ? OrderUpdate : DefinedOrderUpdate<D>;

/** Values for the fields that a definition adds, by the names under which it adds them. */
export type OwnFieldValues<D extends Definition> = {
  readonly [Place in keyof OrderUpdateFields]?: D extends {
    readonly fields: { readonly [_ in Place]: infer Fields extends Shape };
  }
    ? ValuesIn<Fields>
    : never;
};

type Shape = NonNullable<OrderUpdateFields['order']>;

type ValuesIn<Fields extends Shape> = {
  readonly [Own in keyof Fields]?: fc.Arbitrary<Fields[Own]['_zod']['input']>;
};

/** The objects of an update that have fields of their own, and their paths in a body with one line. */
const PATHS = { order: [], cart: ['cart'], item: ['cart', 'items', 0], hooks: ['hooks'] } as const;

export type Level = keyof typeof PATHS;

export const LEVELS = Object.keys(PATHS) as Level[];

// Written apart from the schema, which it tests.
const DOCUMENTED = {
  order: {
    cart: 'cart',
    order_id: 'limited_text',
    purchase_currency: 'currency',
    require_shipping: 'boolean',
    express_shipping: 'boolean',
    shipping_address: 'object',
    hooks: 'hooks',
    user_session_id: 'text',
    user_identifier: 'text',
  },
  cart: { items: 'items' },
  item: {
    type: 'item_type',
    sku: 'text',
    name: 'text',
    quantity: 'integer',
    unit_price: 'integer',
    discount_rate: 'integer',
    vat_amount: 'integer',
  },
  hooks: {
    user_return_url_on_success: 'return_url',
    user_return_url_on_fail: 'return_url',
    terms_url: 'web_url',
    webhook_url: 'web_url',
  },
} as const satisfies Record<Level, Record<string, string>>;

type DocumentedKinds = { [L in Level]: (typeof DOCUMENTED)[L][keyof (typeof DOCUMENTED)[L]] }[Level];

/** What a field may hold; only its schema knows what an `own` one may. */
export type FieldKind = DocumentedKinds | 'int32' | 'own';

interface Field {
  readonly name: string;
  readonly kind: FieldKind;
  readonly isRequired: boolean;
  /** Of an `own` field, where they are given. */
  readonly values?: fc.Arbitrary<unknown> | undefined;
}

/** Every field that an update may have. */
export interface OrderModel {
  readonly fields: Readonly<Record<Level, readonly Field[]>>;
  readonly currencies: readonly string[];
}

/** Throws a `TypeError` as `defineOrderUpdate` does when the definition cannot be used. */
export function createOrderModel(
  definition: Definition = {},
  values: { readonly [L in Level]?: { readonly [Own in string]?: fc.Arbitrary<unknown> } } = {},
): OrderModel {
  const { metadata = [], totalAmount, vatAmount, qrSessionId, currencies = currencyCodes } = definition;
  const named: [string | undefined, FieldKind][] = [
    ...metadata.map((name): [string, FieldKind] => [name, 'limited_text']),
    [totalAmount, 'int32'],
    [vatAmount, 'int32'],
    [qrSessionId, 'text'],
  ];
  const { error } = defineOrderUpdate(definition).safeParse({ cart: { items: [{}] }, hooks: {} });
  const required = new Set(error?.issues.map(({ path }) => JSON.stringify(path)));

  const fieldsOf = (level: Level): Field[] => [
    ...[...Object.entries(DOCUMENTED[level]), ...(level === 'order' ? named : [])].flatMap(([name, kind]) =>
      name === undefined ? [] : [{ name, kind, isRequired: kind === 'cart' }],
    ),
    ...Object.keys(definition.fields?.[level] ?? {}).map((name): Field => {
      const isRequired = required.has(JSON.stringify([...PATHS[level], name]));
      return { name, kind: 'own', isRequired, values: values[level]?.[name] };
    }),
  ];
  const levels = LEVELS.map((level) => [level, fieldsOf(level)]);
  return { fields: Object.fromEntries(levels), currencies };
}

/** Names that belong elsewhere, so that they are rejected at the top of an order. */
export const MISPLACED = ['items', ...Object.keys(DOCUMENTED.hooks)];

const UNKNOWN = ['note', 'cards', 'hook', 'typ', 'quantity', 'constructor', 'toJSON', '', '0', 'a b', '🧡'];

/** Names of undeclared fields that pass as they are. */
export function unknownNames(model: OrderModel, level: Level): fc.Arbitrary<string> {
  return fc
    .oneof(fc.constantFrom(...UNKNOWN, 'billing_address', ...MISPLACED), texts())
    .filter((name) => classifyName(model, level, name) === 'unknown');
}

export type NameKind =
  | 'declared'
  | 'misplaced'
  | 'misspelled'
  | 'not_serializable'
  | 'not_supported'
  | 'unknown';

/** What a schema makes of a field of this name, where every optional field is absent. */
export function classifyName({ fields }: OrderModel, level: Level, name: string): NameKind {
  const declared = fields[level].map((field) => field.name);
  if (declared.includes(name)) return 'declared';
  if (name === '__proto__') return 'not_serializable';
  if (level === 'order' && name === 'billing_address') return 'not_supported';
  if (level === 'order' && MISPLACED.includes(name)) return 'misplaced';
  return declared.some((known) => isMisspelling(name, known)) ? 'misspelled' : 'unknown';
}

/** Equal but for case and underscores, or one edit away in a name of six letters or more. */
function isMisspelling(name: string, known: string): boolean {
  const normalize = (text: string) => text.toLowerCase().replaceAll('_', '');
  const [written, meant] = [normalize(name), normalize(known)];
  if (written === meant) return true;
  let same = 0;
  while (same < written.length && written[same] === meant[same]) same++;
  const [a, b] = [written.slice(same), meant.slice(same)];
  const isSwap = a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2);
  const isEdit = a.slice(1) === b || a === b.slice(1) || a.slice(1) === b.slice(1);
  return meant.length >= 6 && (isSwap || isEdit);
}
