import { basic, bearer, type Credentials } from '@orders/auth';
import { buildOrderUpdate, startMockOrderService } from '@orders/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createOrdersClient } from './index.ts';
import { describeOddKey } from './odd-key.ts';

const key = 'swordfish-4711_AbC';

/** The message of the 401 that a service responds to these credentials. */
async function refused(credentials: Credentials): Promise<string> {
  await using service = await startMockOrderService({ orders: ['order_1234'] });
  await using orders = createOrdersClient({ baseUrl: service.url, credentials });
  const { error } = await orders.safeUpdateOrder('order_1234', buildOrderUpdate());
  expect(error).toMatchObject({ status: 401, outcome: 'rejected' });
  return error?.message ?? '';
}

const oddKeys: readonly (readonly [name: string, key: string, found: string])[] = [
  ['double quotes', `"${key}"`, 'it is in quotes'],
  ['single quotes', `'${key}'`, 'it is in quotes'],
  ['typographic quotes', `“${key}”`, 'it is in quotes'],
  ['one quote', `"${key}`, 'it is in quotes'],
  ['backticks', `\`${key}\``, 'it is in quotes'],
  ['a byte order mark', `\ufeff${key}`, 'it holds an invisible character'],
  ['a zero-width space', `${key}\u200b`, 'it holds an invisible character'],
  ['a soft hyphen', `sword\u00ad${key}`, 'it holds an invisible character'],
  ['a blank before it', ` ${key}`, 'it holds a blank'],
  ['a blank after it', `${key} `, 'it holds a blank'],
  ['a no-break space', `${key}\u00a0`, 'it holds a blank'],
  ['a comment after it', `${key} # live`, 'it holds a blank'],
  ['a line separator', `${key}\u2028`, 'it holds a blank'],
  ['a scheme before it', `Bearer ${key}`, 'it begins with "Bearer" or "Basic"'],
  ['another scheme before it', `basic ${key}`, 'it begins with "Bearer" or "Basic"'],
  ['the name of its variable', `ORDERS_API_KEY=${key}`, 'it begins with a name and "="'],
  ['an export of the shell', `export ORDERS_API_KEY=${key}`, 'it begins with a name and "="'],
  ['a written line break', `${key}\\n`, 'it holds a backslash'],
  ['a comma after it', `${key},`, 'it ends in a comma or semicolon'],
  ['a semicolon after it', `${key};`, 'it ends in a comma or semicolon'],
  ['an escaped colon after it', `${key}%3A`, 'it holds a percent escape'],
  ['base64 of key and colon', btoa(`${key}:`), 'it is base64 of a key and a colon already'],
  ['base64 of that without padding', btoa(`${key}:`).replace(/=+$/, ''), 'it is base64 of a key'],
  [
    'base64 of that with a byte order mark',
    Buffer.from(`\ufeff${key}:`).toString('base64'),
    'it is base64 of a key',
  ],
  ['JSON around it', '{"key"}', 'it is no key, but JSON, a variable or a placeholder'],
  ['a variable of a shell', '$ORDERS_API_KEY', 'a variable or a placeholder'],
  ['a variable of a template', `\${ORDERS_API_KEY}`, 'a variable or a placeholder'],
  ['a variable of Windows', '%ORDERS_API_KEY%', 'a variable or a placeholder'],
  ['a placeholder', '<your-key>', 'a variable or a placeholder'],
  ['a written undefined', 'undefined', 'a variable or a placeholder'],
  ['a masked key', '********', 'a variable or a placeholder'],
  ['a secret that was printed', '[secret]', 'a variable or a placeholder'],
  ['a dash of a word processor', key.replace('-', '–'), 'it holds a character that is not ASCII'],
];

test.each(oddKeys)(
  'the message of a 401 to a key with %s says so, without the key',
  async (_name, odd, found) => {
    const message = await refused(basic(odd));
    expect(message).toContain('401, the key is missing or wrong: ');
    expect(message).toContain(found);
    expect(message).not.toMatch(/swordfish|4711|ORDERS_API|your-key|\ufeff|\u200b/);
    expect(message).not.toContain(btoa(`${key}:`).slice(0, 12));
  },
);

test('the message of a 401 to a key or token like any other adds nothing', async () => {
  for (const credentials of [basic(key), basic(btoa(key)), bearer('abc.DEF-1_2~3+4/5==')])
    expect(await refused(credentials)).toContain('the key is missing or wrong. The update');
});

test('a bearer token that is a placeholder is named, too', async () => {
  expect(await refused(bearer('undefined'))).toContain('a variable or a placeholder');
});

test('keys of letters, digits and the signs of base64 and URLs are never called odd', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{2}_[\w.~+/-]{12,60}={0,2}$/), (plain) => {
      expect(describeOddKey(basic(plain).reveal())).toBe('');
    }),
  );
});

test('no description of a key quotes it', () => {
  const odd = fc.constantFrom(...oddKeys.map(([, wrapped]) => wrapped));
  const secret = fc.stringMatching(/^[0-9]{16,32}$/);
  fc.assert(
    fc.property(odd, secret, (wrapped, digits) => {
      const described = describeOddKey(basic(wrapped.replace(key, digits)).reveal());
      expect(described).not.toContain(digits);
    }),
  );
});
