import fc from 'fast-check';
import { DANGEROUS_NAMES, lengths } from './hostile-values.ts';
import { controlCharacters, insertAnywhere, loneSurrogates } from './insert-anywhere.ts';
import { invalidOrderUpdates } from './invalid-order-updates.ts';
import { orderUpdates } from './order-updates.ts';

/**
 * Texts to send to a server that expects an update as JSON: broken JSON, JSON that few expect, and updates, valid or
 * not.
 *
 * Among them are truncated and spoiled updates, duplicate and escaped names, numbers such as `1e400` and `-0`, a byte
 * order mark, raw control characters, half surrogate pairs, nesting of up to 50,000 levels, and up to 500,000
 * characters.
 *
 * @example
 * ```ts
 * import assert from 'node:assert/strict';
 * import { startOrderService } from '@orders/testing';
 * import { hostileJson } from '@orders/testing/arbitraries';
 * import fc from 'fast-check';
 *
 * // Any server: it may refuse, but neither fail nor die.
 * const service = await startOrderService();
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

/** The same with what is hostile in them. */
export function hostileJsonByKind(): fc.Arbitrary<{ readonly kind: HostileJsonKind; readonly text: string }> {
  const texts = Object.entries(hostileTexts()) as [HostileJsonKind, fc.Arbitrary<string>][];
  return fc.oneof(
    ...texts.map(([kind, text]) => ({
      weight: LARGE_KINDS.includes(kind) ? 1 : 3,
      arbitrary: fc.record({ kind: fc.constant(kind), text }),
    })),
  );
}

/** Kinds that take long to read: they are rarer than the others. */
const LARGE_KINDS: readonly HostileJsonKind[] = ['blanks', 'deep', 'long_list', 'long_text'];

const DEPTH = 50_000;
const LENGTH = 500_000;

function hostileTexts() {
  const valid = orderUpdates({ maxItems: 2 }).map((update) => JSON.stringify(update));
  const invalid = invalidOrderUpdates({ json: true, maxItems: 2 }).map(({ body }) => JSON.stringify(body));
  return {
    valid_update: valid,
    invalid_update: invalid,
    truncated: fc.tuple(valid, fc.nat()).map(([text, pick]) => text.slice(0, pick % text.length)),
    one_more: insertAnywhere(valid, fc.constantFrom(...'{}[]",:\\-.0eE', '/**/', '//', "'", '\0')),
    one_less: fc.tuple(valid, fc.nat()).map(([text, pick]) => {
      const place = pick % text.length;
      return text.slice(0, place) + text.slice(place + 1);
    }),
    twice: valid.map((text) => text + text),
    byte_order_mark: valid.map((text) => `\ufeff${text}`),
    blanks: fc
      .tuple(valid, fc.constantFrom(' ', '\n', '\u00a0', '\v'), lengths(LENGTH))
      .map(([text, blank, length]) => {
        return blank.repeat(length) + text;
      }),
    other_value: fc.oneof(
      fc.constantFrom('null', 'true', '0', '-0', '""', '[]', '[{"cart":{}}]', '"{\\"cart\\":{}}"'),
      fc.json(),
    ),
    not_json: fc.oneof(
      fc.constantFrom(
        '',
        ' ',
        '{',
        '}',
        '{"cart":{}',
        '{"cart":{}}}',
        '{"cart":{},}',
        '{"cart":}',
        'undefined',
        'NaN',
      ),
      fc.constantFrom(
        "{'cart':{}}",
        '{cart:{}}',
        '{"cart":{}}//',
        '{"cart":{}};',
        'cart[items]=',
        '<cart/>',
        '\0',
      ),
      fc.string(),
    ),
    number: numbers().map((number) => `{"cart":{"items":[{"quantity":${number}}]},"sum":${number}}`),
    text: fc
      .oneof(
        loneSurrogates(),
        controlCharacters(),
        fc.constantFrom('\\ud800', '\\udc00\\ud800', '\\u0000', '\\x41', '\\u12', '\\u{41}', '\\', '\\\n'),
      )
      .map((text) => `{"cart":{"items":[{"sku":"${text}","${text}":1}]}}`),
    long_text: lengths(LENGTH).map((length) => `{"order_id":"${'a'.repeat(length)}","cart":{}}`),
    long_list: lengths(120_000).map((length) => `{"cart":{"items":[${'0,'.repeat(length)}0]}}`),
    duplicate_names: fc
      .tuple(
        fc.constantFrom('cart', 'order_id', 'note', '__proto__'),
        fc.array(fc.json(), { minLength: 2, maxLength: 4 }),
      )
      .map(([name, values]) => `{"cart":{},${values.map((value) => `"${name}":${value}`).join()}}`),
    escaped_names: fc
      .constantFrom('cart', 'items', 'order_id', '__proto__')
      .map((name) => `{"cart":{},"${[...name].map(escapeCharacter).join('')}":{}}`),
    dangerous_names: fc
      .tuple(
        fc.constantFrom(...DANGEROUS_NAMES),
        fc.constantFrom('{"polluted":true}', '{"prototype":{"a":1}}', 'null'),
      )
      .map(
        ([name, value]) => `{"cart":{"${name}":${value},"items":[{"${name}":${value}}]},"${name}":${value}}`,
      ),
    deep: fc
      .tuple(fc.constantFrom(['[', ']'], ['{"cart":', '}']), lengths(DEPTH), fc.boolean())
      .map(([[open = '', close = ''], depth, isClosed]) => {
        return `{"cart":${open.repeat(depth)}0${isClosed ? close.repeat(depth) : ''}}`;
      }),
  };
}

/** Numbers that JSON has and few expect, and what is nearly a number. */
function numbers(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom('1e400', '-1e400', '1e-400', '-0', '-0.0', '1E+2', '10e-1', '9007199254740993', '0.1e1'),
    fc.constantFrom('01', '+1', '.5', '5.', '0x10', '1_000', '1n', '--1', '1e', 'Infinity', '-', '1,000'),
    fc.nat({ max: 5_000 }).map((length) => `1${'0'.repeat(length)}`),
    fc.nat({ max: 5_000 }).map((length) => `0.${'3'.repeat(length)}1`),
  );
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
