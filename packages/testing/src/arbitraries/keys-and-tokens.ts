import fc from 'fast-check';
import { texts } from './values.ts';

/**
 * API keys that HTTP Basic can carry as a user name: any text but an empty one, colons and control characters (RFC 7617).
 *
 * @example
 * ```ts
 * import { startMockOrderService } from '@orders/testing';
 * import { apiKeys } from '@orders/testing/arbitraries';
 * import fc from 'fast-check';
 *
 * await fc.assert(
 *   fc.asyncProperty(apiKeys(), async (key) => {
 *     await using service = await startMockOrderService({ keys: [key] });
 *     const authorization = `Basic ${Buffer.from(`${key}:`).toString('base64')}`;
 *     const response = await fetch(`${service.url}/v2/echo_with_private_key`, { headers: { authorization } });
 *     return response.status === 200;
 *   }),
 *   { numRuns: 10 },
 * );
 * ```
 */
export function apiKeys(): fc.Arbitrary<string> {
  return fc
    .oneof(
      { withCrossShrink: true },
      texts(),
      ids('test_key_', 16, 40),
      fc.constantFrom(
        ' ',
        'é',
        '"',
        '\\',
        '鍵',
        'a=',
        'a b',
        '%3A',
        '🔑',
        'Basic',
        'nøkkel',
        'e\u0301',
        '\u00a0',
      ),
      fc.constantFrom('\ufeffkey', '__proto__', 'k'.repeat(200)),
    )
    .filter((key) => key !== '' && !/:|\p{Cc}/u.test(key));
}

/**
 * Order tokens that `OrderToken` of `@orders/schema` accepts: any text that can be one segment of a path, such as
 * `a/b?c#d%2f`, `..a`, whitespace and emoji, which a path must encode. The API documents no format.
 *
 * @example
 * ```ts
 * import { orderTokens } from '@orders/testing/arbitraries';
 * import fc from 'fast-check';
 *
 * fc.assert(
 *   fc.property(orderTokens(), (token) => {
 *     const { pathname } = new URL(`https://api.example/v2/orders/${encodeURIComponent(token)}`);
 *     return decodeURIComponent(pathname.slice('/v2/orders/'.length)) === token;
 *   }),
 * );
 * ```
 */
export function orderTokens(): fc.Arbitrary<string> {
  return fc
    .oneof(
      { withCrossShrink: true },
      texts(),
      ids('ord_', 8, 24),
      fc.uuid(),
      fc.constantFrom(
        ' ',
        '%',
        '+',
        '0',
        '\\',
        '\u2028',
        '🧡',
        '支付',
        '...',
        '..a',
        'a b',
        ';a=1',
        '\ufeffa',
        'null',
      ),
      fc.constantFrom('a/b?c#d%2f', '../echo', '%2e%2e', 'vilkår', '__proto__', 'a'.repeat(200)),
    )
    .filter((token) => !/^\.{0,2}$|\p{Cc}/u.test(token));
}

function ids(prefix: string, minLength: number, maxLength: number): fc.Arbitrary<string> {
  const unit = fc.constantFrom(...'0123456789abcdef');
  return fc.string({ unit, minLength, maxLength }).map((id) => prefix + id);
}
