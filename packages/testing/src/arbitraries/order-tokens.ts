import fc from 'fast-check';
import { controlCharacters, insertAnywhere, loneSurrogates } from './insert-anywhere.ts';
import { texts } from './texts.ts';

/**
 * Order tokens as `OrderToken` of `@orders/schema` takes them: any text that can stand as one segment of a path, with
 * what a careless path would lose, such as `a/b?c#d%2f`, `..a`, blanks and emoji (interface document, Endpoints, which
 * shows no form of them).
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
      fc
        .string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 8, maxLength: 24 })
        .map((id) => `ord_${id}`),
      fc.uuid(),
      fc.constantFrom(
        'a/b?c#d%2f',
        '...',
        '..a',
        '../echo',
        '%2e%2e',
        '%',
        'a b',
        ' ',
        '+',
        '\\',
        ';a=1',
        '\u2028',
      ),
      fc.constantFrom('vilkår', '支付', '🧡', '\ufeffa', '__proto__', '0', 'null', 'a'.repeat(200)),
      texts(),
    )
    .filter((token) => !/^\.{0,2}$|\p{Cc}/u.test(token));
}

/**
 * Texts that are no order token: empty, `.` and `..`, which a path would lose, and texts with a control character or half
 * of a surrogate pair in them.
 *
 * @example
 * ```ts
 * import { OrderToken } from '@orders/schema';
 * import { invalidOrderTokens } from '@orders/testing/arbitraries';
 * import fc from 'fast-check';
 *
 * fc.assert(fc.property(invalidOrderTokens(), (token) => !OrderToken.safeParse(token).success));
 * ```
 */
export function invalidOrderTokens(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom('', '.', '..'),
    insertAnywhere(orderTokens(), controlCharacters()),
    insertAnywhere(orderTokens(), loneSurrogates()),
  );
}
