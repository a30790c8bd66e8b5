import { decodeBase64 } from './decoders.ts';

/** How a key may look that is not the key alone, first match first; no description quotes the key. */
const oddities: readonly (readonly [pattern: RegExp, description: string])[] = [
  [
    /^(undefined|null|\*+|•+|x+|\[.*\]|\{.*|<.*>|\$\w+|\$[({].*|%\w+%|your.*)$/i,
    'is no key, but JSON, a variable or a placeholder',
  ],
  [/^["'`“”‘’]|["'`“”‘’]$/, 'is in quotes'],
  [/\p{Cf}/u, 'holds an invisible character'],
  [/^\s*(bearer|basic)\s/i, 'begins with "Bearer" or "Basic"'],
  [/^\s*(export\s+)?[a-z]\w*=[^=]/i, 'begins with a name and "="'],
  [/\s/, 'holds a blank'],
  [/\\/, 'holds a backslash'],
  [/[,;]$/, 'ends in a comma or semicolon'],
  [/%[\da-f]{2}/i, 'holds a percent escape'],
  [/[^\0-\x7f]/, 'holds a character that is not ASCII'],
];

/** Why the key in the value of an `Authorization` header looks wrong, without showing it; empty when it looks right. */
export function describeOddKey(authorization: string): string {
  const [scheme, encoded = ''] = authorization.split(' ');
  const key = scheme === 'Basic' ? decodeBase64(encoded)?.slice(0, -1) : encoded;
  if (key === undefined) return '';
  const [, found] = oddities.find(([pattern]) => pattern.test(key)) ?? [];
  if (found) return `: it ${found}`;
  return /^\ufeff?[!-~]+:$/.test(decodeBase64(key) ?? '')
    ? ': it is base64 of a key and a colon already'
    : '';
}
