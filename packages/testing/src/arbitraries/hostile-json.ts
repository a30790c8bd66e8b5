import fc from 'fast-check';
import { DANGEROUS_NAMES, lengths } from './hostile-bodies.ts';
import { invalidOrderUpdates } from './invalid-order-updates.ts';
import { orderUpdates } from './order-updates.ts';
import { controlCharacters, insertAnywhere, loneSurrogates } from './values.ts';

/**
 * Texts to send to a server that expects an update as JSON: broken JSON, unusual JSON, and updates, valid or not.
 *
 * Among them are truncated and damaged updates, duplicate and escaped names, numbers such as `1e400` and `-0`, a byte
 * order mark, raw control characters, lone surrogates, nesting of up to 50,000 levels, and up to 500,000 characters.
 *
 * @example
 * ```ts
 * import assert from 'node:assert/strict';
 * import { startMockOrderService } from '@orders/testing';
 * import { hostileJson } from '@orders/testing/arbitraries';
 * import fc from 'fast-check';
 *
 * // Any server: it may reject a body, but neither fail nor crash.
 * const service = await startMockOrderService();
 * const headers = { authorization: `Basic ${btoa(`${service.key}:`)}`, 'content-type': 'application/json' };
 * await fc.assert(
 *   fc.asyncProperty(hostileJson(), async (body) => {
 *     const { status } = await fetch(`${service.url}/v2/orders/${service.token}`, { method: 'PATCH', headers, body });
 *     assert.ok(status === 200 || (status >= 400 && status < 500));
 *   }),
 * );
 * await service.close();
 * ```
 */
export function hostileJson(): fc.Arbitrary<string> {
  return hostileJsonByKind().map(({ text }) => text);
}

export type HostileJsonKind = keyof ReturnType<typeof hostileTexts>;

/** The same, each with its kind. */
export function hostileJsonByKind(): fc.Arbitrary<{ readonly kind: HostileJsonKind; readonly text: string }> {
  const texts = Object.entries(hostileTexts()) as [HostileJsonKind, fc.Arbitrary<string>][];
  return fc.oneof(
    ...texts.map(([kind, text]) => ({
      weight: LARGE_KINDS.includes(kind) ? 1 : 3,
      arbitrary: text.map((text) => ({ kind, text })),
    })),
  );
}

/** Rarer than the others, since they take long to read. */
const LARGE_KINDS: readonly HostileJsonKind[] = ['leading_whitespace', 'deep', 'long_list', 'long_text'];

function hostileTexts() {
  const valid = orderUpdates({ maxItems: 2 }).map((update) => JSON.stringify(update));
  const places = fc
    .tuple(valid, fc.nat())
    .map(([text, pick]): [string, number] => [text, pick % text.length]);
  const numbers = fc.oneof(
    fc.constantFrom('-0', '-0.0', '1e400', '-1e400', '1e-400', '1E+2', '10e-1', '0.1e1', '9007199254740993'),
    fc.constantFrom('-', '01', '+1', '.5', '5.', '1e', '1n', '--1', '0x10', '1_000', '1,000', 'Infinity'),
    fc.nat({ max: 5_000 }).map((length) => `1${'0'.repeat(length)}`),
    fc.nat({ max: 5_000 }).map((length) => `0.${'3'.repeat(length)}1`),
  );
  return {
    valid_update: valid,
    invalid_update: invalidOrderUpdates({ json: true, maxItems: 2 }).map(({ body }) => JSON.stringify(body)),
    truncated: places.map(([text, place]) => text.slice(0, place)),
    one_less: places.map(([text, place]) => text.slice(0, place) + text.slice(place + 1)),
    one_more: insertAnywhere(valid, fc.constantFrom(...'{}[]",:\\-.0eE', '/**/', '//', "'", '\0')),
    twice: valid.map((text) => text + text),
    byte_order_mark: valid.map((text) => `\ufeff${text}`),
    leading_whitespace: fc
      .tuple(valid, fc.constantFrom(' ', '\n', '\u00a0', '\v'), lengths(500_000))
      .map(([text, space, length]) => space.repeat(length) + text),
    other_value: fc.oneof(
      fc.constantFrom('0', '-0', '""', '[]', 'null', 'true', '[{"cart":{}}]', '"{\\"cart\\":{}}"'),
      fc.json(),
    ),
    not_json: fc.oneof(
      fc.constantFrom('', ' ', '{', '}', '\0', 'NaN', 'undefined', '<cart/>', 'cart[items]=', '{cart:{}}'),
      fc.constantFrom(
        '{"cart":}',
        '{"cart":{}',
        '{"cart":{},}',
        '{"cart":{}}}',
        '{"cart":{}};',
        '{"cart":{}}//',
      ),
      fc.constantFrom("{'cart':{}}"),
      fc.string(),
    ),
    number: numbers.map((number) => `{"cart":{"items":[{"quantity":${number}}]},"sum":${number}}`),
    text: fc
      .oneof(
        loneSurrogates(),
        controlCharacters(),
        fc.constantFrom('\\', '\\\n', '\\x41', '\\u12', '\\u{41}', '\\u0000', '\\ud800', '\\udc00\\ud800'),
      )
      .map((text) => `{"cart":{"items":[{"sku":"${text}","${text}":1}]}}`),
    long_text: lengths(500_000).map((length) => `{"order_id":"${'a'.repeat(length)}","cart":{}}`),
    long_list: lengths(120_000).map((length) => `{"cart":{"items":[${'0,'.repeat(length)}0]}}`),
    duplicate_names: fc
      .tuple(
        fc.constantFrom('cart', 'note', 'order_id', '__proto__'),
        fc.array(fc.json(), { minLength: 2, maxLength: 4 }),
      )
      .map(([name, values]) => `{"cart":{},${values.map((value) => `"${name}":${value}`).join()}}`),
    escaped_names: fc
      .constantFrom('cart', 'items', 'order_id', '__proto__')
      .map((name) => `{"cart":{},"${[...name].map(escapeCharacter).join('')}":{}}`),
    dangerous_names: fc
      .tuple(
        fc.constantFrom(...DANGEROUS_NAMES),
        fc.constantFrom('null', '{"polluted":true}', '{"prototype":{"a":1}}'),
      )
      .map(([name, value]) => {
        const field = `"${name}":${value}`;
        return `{"cart":{${field},"items":[{${field}}]},${field}}`;
      }),
    deep: fc
      .tuple(fc.constantFrom(['[', ']'], ['{"cart":', '}']), lengths(50_000), fc.boolean())
      .map(([[open = '', close = ''], depth, isClosed]) => {
        return `{"cart":${open.repeat(depth)}0${isClosed ? close.repeat(depth) : ''}}`;
      }),
  };
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
