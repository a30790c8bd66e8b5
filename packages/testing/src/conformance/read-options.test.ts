import { expect, test } from 'vitest';
import type { ConformanceOptions } from './conformance-options.ts';
import { readOptions } from './read-options.ts';

const least = { baseUrl: 'https://api.example.com', apiKey: 'sekret' } satisfies ConformanceOptions;

test.each<[Partial<ConformanceOptions>, RegExp]>([
  [{ baseUrl: 'http://api.example.com' }, /^baseUrl: plain http/],
  [{ apiKey: '' }, /^apiKey is empty/],
  [{ apiKey: undefined as unknown as string }, /^apiKey is missing/],
  [{ apiKey: 'sek:ret' }, /^apiKey holds a colon/],
  [{ apiKey: 'sekret\n' }, /^apiKey holds a control character/],
  [{ otherTypeKey: 'sekret:' }, /^otherTypeKey holds a colon/],
  [{ otherTypeKey: 'sekret' }, /^otherTypeKey is the same/],
  [{ orderToken: '' }, /^orderToken/],
  [{ orderToken: '..' }, /^orderToken/],
  [{ disposable: true }, /orderToken/],
  [{ currency: '' }, /^currency/],
  [{ names: { totalAmount: '' } }, /named ""/],
  [{ names: { totalAmount: 'cart' } }, /cart/],
  [{ names: { totalAmount: 'a', vatAmount: 'a' } }, /\ba\b/],
  [{ only: ['accepts-hook'] }, /^only: there is no case "accepts-hook"/],
  [{ skip: ['accepts-hooks', ''] }, /^skip: there is no case ""/],
  [{ timeout: 5 } as object, /^conformance: unknown option "timeout"\. Did you mean "timeoutMs"\?$/],
  [{ timeoutMs: 0 }, /^timeoutMs: 0/],
  [{ timeoutMs: 1.5 }, /^timeoutMs: 1.5/],
  [{ timeoutMs: 2 ** 31 }, /^timeoutMs/],
])('refuses %j, and shows no key', (wrong, message) => {
  expect(() => readOptions({ ...least, ...wrong })).toThrow(TypeError);
  expect(() => readOptions({ ...least, ...wrong })).toThrow(message);
  expect(() => readOptions({ ...least, ...wrong })).not.toThrow(/sekret/);
});

test('makes identifiers that are new in each run', () => {
  const [first, second] = [readOptions(least), readOptions(least)];
  expect(first.context.runId).not.toBe(second.context.runId);
});
