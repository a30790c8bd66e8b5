import { currencyCodes, defineOrderUpdate } from '@orders/schema';
import type fc from 'fast-check';
import type { Definition, OwnFieldValues } from './definition.ts';

/** The objects of an update that have fields of their own. */
export const LEVELS = ['order', 'cart', 'item', 'hooks'] as const;

export type Level = (typeof LEVELS)[number];

/** What a field may hold. */
export type FieldKind =
  | 'text'
  | 'limited_text'
  | 'currency'
  | 'item_type'
  | 'boolean'
  | 'integer'
  | 'int32'
  | 'object'
  | 'cart'
  | 'items'
  | 'hooks'
  | 'return_url'
  | 'web_url';

/** A field that the document describes; its name may come from a definition. */
interface Field {
  readonly name: string;
  readonly kind: FieldKind;
}

/** A field that a definition adds: what it may hold, only the one who defined it knows. */
interface OwnField {
  readonly name: string;
  readonly isRequired: boolean;
  readonly values: fc.Arbitrary<unknown> | undefined;
}

/** Every field that an update may have, as this package knows it: written apart from the schema, which it tests. */
export interface OrderModel {
  readonly fields: Readonly<Record<Level, readonly Field[]>>;
  readonly own: Readonly<Record<Level, readonly OwnField[]>>;
  readonly currencies: readonly string[];
}

const DOCUMENTED: Readonly<Record<Level, Readonly<Record<string, FieldKind>>>> = {
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
};

/** The path of each level's fields in an issue. */
const PATHS = {
  order: [],
  cart: ['cart'],
  item: ['cart', 'items', 0],
  hooks: ['hooks'],
} as const;

type OwnArbitraries = {
  readonly [Place in Level]?: { readonly [Own in string]?: fc.Arbitrary<unknown> | undefined };
};

/** Throws a `TypeError` as `defineOrderUpdate` does when the definition cannot be used. */
export function createOrderModel<D extends Definition>(
  definition: D | undefined,
  values: OwnFieldValues<D> | undefined,
): OrderModel {
  const given: Definition = definition ?? {};
  const valuesOf: OwnArbitraries = values ?? {};
  const required = findRequired(given);
  const own = (level: Level): OwnField[] => {
    return Object.keys(given.fields?.[level] ?? {}).map((name) => ({
      name,
      isRequired: required.has(JSON.stringify([...PATHS[level], name])),
      values: valuesOf[level]?.[name],
    }));
  };
  const documented = (level: Level): Field[] =>
    Object.entries(DOCUMENTED[level]).map(([name, kind]) => ({ name, kind }));
  return {
    fields: {
      order: [...documented('order'), ...named(given)],
      cart: documented('cart'),
      item: documented('item'),
      hooks: documented('hooks'),
    },
    own: { order: own('order'), cart: own('cart'), item: own('item'), hooks: own('hooks') },
    currencies: given.currencies ?? currencyCodes,
  };
}

/** The fields that the document describes without naming them. */
function named({ metadata, totalAmount, vatAmount, qrSessionId }: Definition): Field[] {
  const names: [string | undefined, FieldKind][] = [
    ...(metadata ?? []).map((name): [string, FieldKind] => [name, 'limited_text']),
    [totalAmount, 'int32'],
    [vatAmount, 'int32'],
    [qrSessionId, 'text'],
  ];
  return names.flatMap(([name, kind]) => (name === undefined ? [] : [{ name, kind }]));
}

/** Only the schema tells which fields of its user's own are required. */
function findRequired(definition: Definition): ReadonlySet<string> {
  const { error } = defineOrderUpdate(definition).safeParse({ cart: { items: [{}] }, hooks: {} });
  return new Set(error?.issues.map(({ path }) => JSON.stringify(path)));
}

/** Every name that is declared at a level. */
export function declaredNames({ fields, own }: OrderModel, level: Level): string[] {
  return [...fields[level], ...own[level]].map(({ name }) => name);
}
