import { basic, bearer } from '@orders/auth';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { scrubberOf } from './scrub.ts';

const key = fc
  .string({ unit: 'grapheme', minLength: 16 })
  .filter((text) => !/[:\p{Cc}\p{Cs}]/u.test(text) && text.trim() === text);

test('takes out the key and its base64 in every encoding', () => {
  fc.assert(
    fc.property(key, (text) => {
      const bytes = Buffer.from(`${text}:`);
      const encoded = bytes.toString('base64');
      const forms = [
        text,
        encoded,
        `Basic ${encoded}`,
        encoded.replace(/=+$/, ''),
        bytes.toString('base64url'),
        Buffer.from(text).toString('base64'),
        bytes.toString('hex'),
        bytes.toString('latin1'),
        encodeURIComponent(text),
        encodeURIComponent(`Basic ${encoded}`),
        JSON.stringify(text).slice(1, -1),
      ];
      const scrub = scrubberOf(basic(text));
      for (const form of forms) {
        const clean = scrub(`<${form}>`);
        expect(clean).not.toContain(form);
        expect(clean).not.toContain(text);
      }
    }),
  );
});

test('leaves a text without the credential as it is', () => {
  const text = '{"order":"Basic","items":[1,2,3]}';
  expect(scrubberOf(basic('swordfish-swordfish'))(text)).toBe(text);
});

test('takes out a bearer token', () => {
  expect(scrubberOf(bearer('swordfish-swordfish'))('Bearer swordfish-swordfish!')).toBe('[secret]!');
});
