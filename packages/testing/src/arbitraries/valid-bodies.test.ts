import { currencyCodes, type OrderUpdate } from '@orders/schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { named } from '../../test/definitions.ts';
import { cartItems, carts, orderUpdates } from './order-updates.ts';

// Generators may cease to cover a rule without any property failing: each thing they must yield is looked for here.
const many = { numRuns: 2_000, seed: 1 };
const updates = fc.sample(orderUpdates({ definition: named }), many);
const lines = updates.flatMap(({ cart }) => cart.items ?? []);
const hooks = updates.flatMap((update) => update.hooks ?? []);

const returnFields = ['user_return_url_on_success', 'user_return_url_on_fail'] as const;
const webFields = ['terms_url', 'webhook_url'] as const;
const amountFields = ['quantity', 'unit_price', 'discount_rate', 'vat_amount'] as const;
const topFields =
  'cart order_id purchase_currency require_shipping express_shipping shipping_address hooks user_session_id ' +
  'user_identifier meta_1 meta_2 total vat qr_session';
const levels: readonly [string, readonly object[], readonly string[]][] = [
  ['order', updates, topFields.split(' ')],
  ['cart', updates.map(({ cart }) => cart), ['items']],
  ['item', lines, ['type', 'sku', 'name', ...amountFields]],
  ['hooks', hooks, [...returnFields, ...webFields]],
];

test.each(levels)(
  'every field of %s is there more often than not, and but for the cart sometimes not',
  (_, objects, names) => {
    for (const name of names) {
      const count = objects.filter((fields) => Object.hasOwn(fields, name)).length;
      expect([name, count > objects.length / 2]).toEqual([name, true]);
      expect([name, count < objects.length]).toEqual([name, name !== 'cart']);
    }
  },
);

test.each(levels)(
  'unknown fields of every JSON type occur in %s, before and after the known ones',
  (_, objects, names) => {
    const types = new Set<string>();
    const places = new Set<number>();
    for (const fields of objects) {
      const entries = Object.entries(fields);
      for (const [index, [name, value]] of entries.entries()) {
        if (names.includes(name)) continue;
        types.add(typeName(value));
        if (index === 0 || index === entries.length - 1) places.add(Math.sign(index));
      }
    }
    expect(types).toEqual(new Set(['null', 'boolean', 'number', 'string', 'list', 'object']));
    expect(places).toEqual(new Set([0, 1]));
  },
);

test.each(['order_id', 'meta_1', 'meta_2'] as const)(
  '%s is of 0, 1 and 255 code points, of one UTF-16 unit and of two',
  (field) => {
    const texts = updates.flatMap((update) => update[field] ?? []);
    const lengths = new Set(texts.map((text) => `${[...text].length} in ${text.length}`));
    for (const length of ['0 in 0', '1 in 1', '1 in 2', '255 in 255', '255 in 510', '5 in 5']) {
      expect([length, lengths.has(length)]).toEqual([length, true]);
    }
  },
);

test.each(amountFields)('%s is of any sign, small, and up to the largest that is exact', (field) => {
  const max = Number.MAX_SAFE_INTEGER;
  const amounts = new Set(lines.flatMap((line) => line[field] ?? []));
  for (const edge of [0, 1, -1, max, max - 1, -max, 1 - max])
    expect([edge, amounts.has(edge)]).toEqual([edge, true]);
  expect(amounts.size).toBeGreaterThan(1_000);
});

test.each(['total', 'vat'] as const)('%s is up to the limits of 32 bits', (field) => {
  const amounts = new Set(updates.flatMap((update) => update[field] ?? []));
  for (const edge of [0, 1, -1, 2 ** 31 - 1, 2 ** 31 - 2, -(2 ** 31), 1 - 2 ** 31]) {
    expect([edge, amounts.has(edge)]).toEqual([edge, true]);
  }
});

test('every listed currency occurs, and no other', () => {
  const currenciesOf = (some: readonly OrderUpdate[]) =>
    new Set(some.flatMap(({ purchase_currency }) => purchase_currency ?? []));
  expect(currenciesOf(fc.sample(orderUpdates(), many))).toEqual(new Set(currencyCodes));
  expect(currenciesOf(updates)).toEqual(new Set(['EUR', 'NOK']));
});

test.each([...returnFields, ...webFields])(
  '%s has placeholders, ports, queries and characters of any script',
  (field) => {
    const urls = hooks.flatMap((fields) => fields[field] ?? []);
    for (const kind of [
      /\{order_token\}/,
      /\{tenant\}/,
      /:\d+/,
      /\?/,
      /#/,
      /^HTTPS:/,
      /^Http:/,
      /ü/,
      /[\u{10000}-\u{10ffff}]/u,
    ]) {
      expect([kind, urls.some((url) => kind.test(url))]).toEqual([kind, true]);
    }
  },
);

test.each(returnFields)('%s leads to apps too', (field) => {
  const urls = hooks.flatMap((fields) => fields[field] ?? []);
  for (const kind of [/^myapp:\/\//, /^my\.app\+x-1:/, /^MYAPP:/, /^mailto:/, /^javascripts:/, /^datas:/]) {
    expect([kind, urls.some((url) => kind.test(url))]).toEqual([kind, true]);
  }
});

test('every web address is reserved for documentation', () => {
  const reserved =
    /^https?:\/\/(user:secret@)?([\p{L}\d{}.-]+\.example|192\.0\.2\.7|\[2001:db8::7\])(:\d+)?([/?#]|$)/iu;
  const urls = hooks.flatMap((fields) =>
    [...returnFields, ...webFields].flatMap((field) => fields[field] ?? []),
  );
  for (const url of urls) if (/^https?:/i.test(url)) expect(url).toMatch(reserved);
});

test('carts are without lines, with an empty list, with one line and with the most', () => {
  const lengths = fc.sample(carts({ maxItems: 7 }), many).map(({ items }) => items?.length);
  expect(new Set(lengths)).toEqual(new Set([undefined, 0, 1, 2, 3, 4, 5, 6, 7]));
  expect(fc.sample(carts({ maxItems: 0 }), many).some(({ items = [] }) => items.length > 0)).toBe(false);
});

test('lines are of the shown types and of any other', () => {
  const types = new Set(fc.sample(cartItems(), many).map(({ type }) => type));
  for (const type of ['physical', 'shipping_fee', 'digital', '', undefined])
    expect(types.has(type)).toBe(true);
  expect(types.size).toBeGreaterThan(100);
});

test('shipping addresses have any fields', () => {
  const addresses = updates.flatMap(({ shipping_address = [] }) => shipping_address);
  const sizes = new Set(addresses.map((address) => Object.keys(address).length));
  expect(sizes).toEqual(new Set([0, 1, 2, 3]));
});

test('no unknown fields occur where they are not wanted', () => {
  const known = fc.sample(orderUpdates({ unknownFields: false, definition: named }), many);
  expect(new Set(known.flatMap((update) => Object.keys(update)))).toEqual(new Set(topFields.split(' ')));
  expect(new Set(known.flatMap(({ cart }) => Object.keys(cart)))).toEqual(new Set(['items']));
});

function typeName(value: unknown): string {
  return Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value;
}
