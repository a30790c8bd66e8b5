import { expect, test } from 'vitest';
import type { ConformanceOptions } from './options.ts';
import { resolveOptions } from './options.ts';

const least = { baseUrl: 'https://api.example.com', apiKey: 'sekret' } satisfies ConformanceOptions;

test.each([
  ['https://api.example.com', 'https://api.example.com'],
  ['https://api.example.com/staging//', 'https://api.example.com/staging'],
  ['http://localhost:4010', 'http://localhost:4010'],
  ['http://127.0.0.2:4010', 'http://127.0.0.2:4010'],
  ['http://[::1]:4010', 'http://[::1]:4010'],
])('the base URL %s is read as %s', (baseUrl, read) => {
  expect(resolveOptions({ ...least, baseUrl }).baseUrl).toBe(read);
});

test('plain http to another machine needs allowInsecureHttp', () => {
  const baseUrl = 'http://api.example.com/';
  expect(resolveOptions({ ...least, baseUrl, allowInsecureHttp: true }).baseUrl).toBe(
    'http://api.example.com',
  );
});

test.each<[Partial<ConformanceOptions>, RegExp]>([
  [{ baseUrl: 'api.example.com' }, /^baseUrl: write a whole URL/],
  [{ baseUrl: 'ftp://api.example.com' }, /^baseUrl: write a whole URL/],
  [{ baseUrl: 'https://sekret@api.example.com' }, /^baseUrl holds credentials/],
  [{ baseUrl: 'https://:sekret@api.example.com' }, /^baseUrl holds credentials/],
  [{ baseUrl: 'https://api.example.com?key=sekret' }, /query/],
  [{ baseUrl: 'https://api.example.com#sekret' }, /fragment/],
  [{ baseUrl: 'https://api.example.com/sekret/v2/' }, /^baseUrl ends in \/v2/],
  [{ baseUrl: 'https://api.example.com/v2/orders/sekret' }, /^baseUrl ends in \/v2/],
  [{ baseUrl: 'https://api.example.com/v2/echo_with_private_key' }, /^baseUrl ends in \/v2/],
  [{ baseUrl: 'http://api.example.com' }, /^baseUrl: .* api\.example\.com .* set allowInsecureHttp\.$/],
  [{ baseUrl: 'http://localhost.example.com' }, /^baseUrl: over plain http/],
  [{ baseUrl: 'http://128.0.0.1' }, /^baseUrl: over plain http/],
  [{ apiKey: '' }, /^apiKey is empty/],
  [{ apiKey: undefined as unknown as string }, /^apiKey is missing/],
  [{ apiKey: 'sek:ret' }, /^apiKey .*colon/],
  [{ otherTypeKey: 'sekret\n' }, /^otherTypeKey .*control character/],
  [{ otherTypeKey: 'sekret' }, /^otherTypeKey is the same/],
  [{ orderToken: '' }, /^orderToken/],
  [{ orderToken: '..' }, /^orderToken/],
  [{ disposable: true }, /^disposable needs the orderToken/],
  [{ currency: '' }, /^currency/],
  [{ names: { totalAmount: '' } }, /named ""/],
  [{ names: { totalAmount: 'cart' } }, /cart/],
  [{ names: { totalAmount: 'a', vatAmount: 'a' } }, /\ba\b/],
  [{ only: ['accepts-hook'] }, /^only: there is no case "accepts-hook"/],
  [{ skip: ['accepts-hooks', ''] }, /^skip: there is no case ""/],
  [{ timeout: 5 } as object, /^conformance: unknown option "timeout"\. Did you mean "timeoutMs"\?$/],
  [{ timeoutMs: 0 }, /^timeoutMs: .* got 0\.$/],
  [{ timeoutMs: 1.5 }, /^timeoutMs: .* got 1\.5\.$/],
  [{ timeoutMs: 2 ** 31 }, /^timeoutMs/],
])('refuses %j with a TypeError that holds no key', (wrong, message) => {
  const resolve = () => resolveOptions({ ...least, ...wrong });
  expect(resolve).toThrow(TypeError);
  expect(resolve).toThrow(message);
  expect(resolve).not.toThrow(/sekret/);
});

test('the identifiers of a run are new', () => {
  expect(resolveOptions(least).context.runId).not.toBe(resolveOptions(least).context.runId);
});
