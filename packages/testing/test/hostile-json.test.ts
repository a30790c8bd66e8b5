import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inFull } from '../../../.ci/in-full.ts';
import { orderUpdates } from '../src/arbitraries.ts';
import { startMockOrderService } from '../src/index.ts';
import { DANGEROUS_NAMES, lengths } from './arbitraries/hostile-bodies.ts';
import { invalidOrderUpdates } from './arbitraries/invalid-order-updates.ts';
import { controlCharacters, insertAnywhere, loneSurrogates } from './arbitraries/odd-texts.ts';
import { send } from './send.ts';

const valid = orderUpdates({ maxItems: 2 }).map((update) => JSON.stringify(update));
const places = fc.tuple(valid, fc.nat()).map(([text, pick]): [string, number] => [text, pick % text.length]);
const numbers = fc.oneof(
  fc.constantFrom('-0', '-0.0', '1e400', '-1e400', '1e-400', '1E+2', '10e-1', '0.1e1', '9007199254740993'),
  fc.constantFrom('-', '01', '+1', '.5', '5.', '1e', '1n', '--1', '0x10', '1_000', '1,000', 'Infinity'),
  fc.nat({ max: 5_000 }).map((length) => `1${'0'.repeat(length)}`),
  fc.nat({ max: 5_000 }).map((length) => `0.${'3'.repeat(length)}1`),
);
const names = fc.constantFrom('cart', 'items', 'order_id', '__proto__');
const escapeCharacter = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
const answered = [200, 400, 422];

/** Broken JSON, unusual JSON, and updates, valid or not; each with the statuses that it may get. */
const texts: fc.Arbitrary<[string, number[]]> = fc.oneof(
  of(valid, [200]),
  of(
    invalidOrderUpdates()
      .filter(({ json }) => json)
      .map(({ body }) => JSON.stringify(body)),
    [422],
  ),
  of(
    places.map(([text, place]) => text.slice(0, place)),
    [400],
  ),
  of(
    valid.map((text) => text + text),
    [400],
  ),
  of(places.map(([text, place]) => text.slice(0, place) + text.slice(place + 1))),
  of(insertAnywhere(valid, fc.constantFrom(...'{}[]",:\\-.0eE', '/**/', '//', "'", '\0'))),
  of(valid.map((text) => `\ufeff${text}`)),
  of(
    fc
      .tuple(valid, fc.constantFrom(' ', '\n', '\u00a0', '\v'), lengths(500_000))
      .map(([text, space, length]) => space.repeat(length) + text),
  ),
  of(fc.constantFrom('0', '-0', '""', '[]', 'null', 'true', '[{"cart":{}}]', '"{\\"cart\\":{}}"')),
  of(fc.constantFrom('', ' ', '{', '}', '\0', 'NaN', 'undefined', '<cart/>', 'cart[items]=', '{cart:{}}')),
  of(fc.constantFrom('{"cart":}', '{"cart":{},}', '{"cart":{}}}', '{"cart":{}};', '{"cart":{}}//')),
  of(fc.string()),
  of(fc.json()),
  of(numbers.map((number) => `{"cart":{"items":[{"quantity":${number}}]},"sum":${number}}`)),
  of(
    fc
      .oneof(
        loneSurrogates(),
        controlCharacters(),
        fc.constantFrom('\\', '\\\n', '\\x41', '\\u12', '\\u{41}', '\\u0000', '\\ud800', '\\udc00\\ud800'),
      )
      .map((text) => `{"cart":{"items":[{"sku":"${text}","${text}":1}]}}`),
  ),
  of(lengths(500_000).map((length) => `{"order_id":"${'a'.repeat(length)}","cart":{}}`)),
  of(lengths(120_000).map((length) => `{"cart":{"items":[${'0,'.repeat(length)}0]}}`)),
  of(
    fc.tuple(names, fc.json(), fc.json()).map(([name, a, b]) => `{"cart":{},"${name}":${a},"${name}":${b}}`),
  ),
  of(names.map((name) => `{"cart":{},"${[...name].map(escapeCharacter).join('')}":{}}`)),
  of(
    fc
      .tuple(fc.constantFrom(...DANGEROUS_NAMES), fc.constantFrom('null', '{"polluted":true}'))
      .map(
        ([name, value]) => `{"cart":{"${name}":${value},"items":[{"${name}":${value}}]},"${name}":${value}}`,
      ),
  ),
  of(
    fc
      .tuple(fc.constantFrom(['[', ']'], ['{"cart":', '}']), lengths(50_000), fc.boolean())
      .map(
        ([[open = '', close = ''], depth, isClosed]) =>
          `{"cart":${open.repeat(depth)}0${isClosed ? close.repeat(depth) : ''}}`,
      ),
  ),
);

function of(texts: fc.Arbitrary<string>, statuses = answered): fc.Arbitrary<[string, number[]]> {
  return texts.map((text) => [text, statuses]);
}

test('a service responds to every text with 200 or 4xx, applies those that it accepts, and stays up', async () => {
  await using service = await startMockOrderService();
  let applied = 0;
  await fc.assert(
    fc.asyncProperty(texts, async ([body, statuses]) => {
      const { status, json } = await send(service, { body });
      expect(statuses).toContain(status);
      expect(typeof json).toBe('object');
      if (status === 200) applied++;
      expect(service.ledger).toHaveLength(applied);
    }),
    { numRuns: inFull ? 800 : 60 },
  );
  expect((await send(service)).status).toBe(200);
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
});
