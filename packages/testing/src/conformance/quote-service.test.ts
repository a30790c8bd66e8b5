import fc from 'fast-check';
import { expect, test } from 'vitest';
import { quoteBody, quoteService } from './quote-service.ts';
import { createScrubber } from './scrub-secrets.ts';

const scrub = createScrubber({ keys: ['sekret key'], orderToken: undefined });

// Of any units at all, control characters and halves of pairs among them.
const anyText = fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units));

test('is one line that moves no cursor', () => {
  expect(quoteService('a\r\n\tb\u001b[2Jc\u202ed', scrub)).toBe('a b [2Jc d');
  fc.assert(
    fc.property(anyText, (text) => {
      expect(quoteService(text, scrub)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    }),
  );
});

test('is short, and cuts no character in two', () => {
  const quote = quoteService('😀'.repeat(1_000), scrub);
  expect(quote.length).toBeLessThanOrEqual(160);
  expect(quote.isWellFormed()).toBe(true);
  expect(quote.endsWith('…')).toBe(true);
});

test('shows no key that joining two lines would make', () => {
  expect(quoteService('sekret\n key', scrub)).toBe('[key]');
});

test('shows no key whose blanks would be joined', () => {
  const hides = createScrubber({ keys: ['sekret  key'], orderToken: undefined });
  expect(quoteService('sekret  key', hides)).toBe('[key]');
});

test('shows no key that is cut where the quote ends', () => {
  expect(quoteService(`${'x'.repeat(154)}sekret key`, scrub)).not.toContain('sek');
});

test('shows no key that JSON hides in escapes', () => {
  const hidden = JSON.stringify({ key: 'sekret key' }).replace('sekret', '\\u0073\\u0065kret');
  expect(hidden).not.toContain('sekret');
  expect(quoteBody(hidden, scrub)).toBe('{"key":"[key]"}');
});

test('quotes a body that is no JSON as it is', () => {
  expect(quoteBody('<p>No</p>', scrub)).toBe('<p>No</p>');
  expect(quoteBody('['.repeat(60_000), scrub)).toHaveLength(160);
});
