import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createScrubber } from './scrub-secrets.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

const WAYS: Readonly<Record<string, (key: string) => string>> = {
  plain: (key) => key,
  'as the header that was sent': (key) => `Basic ${base64(`${key}:`)}`,
  'as the header of a key in the place of the password': (key) => `Basic ${base64(`:${key}`)}`,
  'in base64': base64,
  'in base64 without padding': (key) => base64(`${key}:`).replace(/=+$/, ''),
  'in base64 for URLs': (key) => Buffer.from(`${key}:`).toString('base64url'),
  'in hex': (key) => Buffer.from(key).toString('hex'),
  'in capital hex': (key) => Buffer.from(key).toString('hex').toUpperCase(),
  'percent-encoded': encodeURIComponent,
  'percent-encoded in small letters': (key) =>
    encodeURIComponent(key).replace(/%../g, (code) => code.toLowerCase()),
  'with every sign percent-encoded': (key) =>
    encodeURIComponent(key).replace(
      /[!'()*~]/g,
      (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
    ),
  'as a form': (key) => new URLSearchParams({ key }).toString(),
  'in JSON': (key) => JSON.stringify({ key }),
  'in JSON with escaped slashes': (key) => JSON.stringify({ key }).replaceAll('/', '\\/'),
  'in JSON of ASCII alone': (key) =>
    JSON.stringify({ key }).replace(
      /[^\0-\x7f]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  'in HTML with escaped quotes': (key) =>
    key.replace(
      /[&<>"']/g,
      (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? '&#39;',
    ),
  'in HTML': (key) =>
    `<p>${key.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</p>`,
  'as bytes read one by one': (key) => Buffer.from(key).toString('latin1'),
};

const keys = fc
  .string({ unit: 'grapheme', minLength: 8, maxLength: 40 })
  .filter((key) => !/[:\p{Cc}]/u.test(key) && !'[key]'.includes(key));

test.each(Object.entries(WAYS))('takes a key out that is written %s', (_, write) => {
  fc.assert(
    fc.property(keys, fc.constantFrom('', ' before ', '"'), (key, around) => {
      const written = write(key);
      const scrub = createScrubber({ keys: [key], orderToken: undefined });
      const clean = scrub(`${around}${written}${around}`);
      expect(clean).toContain('[key]');
      for (const form of [key, base64(key), base64(`${key}:`)]) expect(clean).not.toContain(form);
    }),
    { numRuns: 50 },
  );
});

test('takes every key out, and the order token under a name of its own', () => {
  const scrub = createScrubber({ keys: ['first-key', 'second-key'], orderToken: 'ord/1' });
  expect(scrub('first-key second-key ord/1 ord%2F1')).toBe('[key] [key] [token] [token]');
});

test('takes a key out whole when the token is a part of it', () => {
  const scrub = createScrubber({ keys: ['ord_1_key'], orderToken: 'ord_1' });
  expect(scrub('ord_1_key ord_1')).toBe('[key] [token]');
});

test('leaves what is no secret as it is', () => {
  expect(createScrubber({ keys: ['sekret-key'], orderToken: 'ord_1' })('order_id: too long')).toBe(
    'order_id: too long',
  );
});
