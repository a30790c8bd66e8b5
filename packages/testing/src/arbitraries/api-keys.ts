import fc from 'fast-check';
import { controlCharacters, insertAnywhere, loneSurrogates } from './insert-anywhere.ts';
import { texts } from './texts.ts';

/**
 * Keys that HTTP Basic can carry as a user name: any text in Unicode but for colons and control characters, and never
 * empty (interface document, Authentication; RFC 7617).
 *
 * @example
 * ```ts
 * import { createOrderService } from '@orders/testing';
 * import { apiKeys } from '@orders/testing/arbitraries';
 * import fc from 'fast-check';
 *
 * await fc.assert(
 *   fc.asyncProperty(apiKeys(), async (key) => {
 *     const service = createOrderService({ keys: [key] });
 *     const authorization = `Basic ${Buffer.from(`${key}:`).toString('base64')}`;
 *     const answer = await service.fetch(`${service.url}/v2/echo_with_private_key`, { headers: { authorization } });
 *     return answer.status === 200;
 *   }),
 *   { numRuns: 10 },
 * );
 * ```
 */
export function apiKeys(): fc.Arbitrary<string> {
  return fc
    .oneof(
      fc
        .string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 16, maxLength: 40 })
        .map((id) => `test_key_${id}`),
      fc.constantFrom(
        ' ',
        'a b',
        'Basic',
        'Bearer a',
        'a=',
        '"',
        '\\',
        '%3A',
        'nøkkel',
        '鍵',
        '🔑',
        'é',
        'e\u0301',
      ),
      fc.constantFrom('\ufeffkey', '\u00a0', '__proto__', 'k'.repeat(200)),
      texts(),
    )
    .filter((key) => key !== '' && !/:|\p{Cc}/u.test(key));
}

/**
 * Texts that HTTP Basic cannot carry as a user name: empty, or with a colon, a control character or half of a surrogate
 * pair in them (RFC 7617).
 *
 * @example
 * ```ts
 * import assert from 'node:assert/strict';
 * import { startOrderService } from '@orders/testing';
 * import { invalidApiKeys } from '@orders/testing/arbitraries';
 * import fc from 'fast-check';
 *
 * await fc.assert(
 *   fc.asyncProperty(invalidApiKeys(), async (key) => {
 *     await assert.rejects(startOrderService({ keys: [key] }), TypeError);
 *   }),
 * );
 * ```
 */
export function invalidApiKeys(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constant(''),
    insertAnywhere(apiKeys(), fc.constantFrom(':', ':password')),
    insertAnywhere(apiKeys(), controlCharacters()),
    insertAnywhere(apiKeys(), loneSurrogates()),
  );
}
