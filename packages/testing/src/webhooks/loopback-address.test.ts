import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLoopbackLookup, isLoopbackAddress, refuseOtherAddress } from './loopback-address.ts';

test.each(['127.0.0.1', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', '::ffff:7f00:1'])(
  '%s leads to this machine',
  (address) => {
    expect(isLoopbackAddress(address)).toBe(true);
  },
);

test.each([
  '0.0.0.0',
  '::',
  '10.0.0.1',
  '126.255.255.255',
  '128.0.0.1',
  '169.254.169.254',
  '203.0.113.1',
  'fe80::1',
  '::ffff:203.0.113.1',
  '::2',
  'localhost',
  '127.0.0.1.example',
  '127.1',
  '',
])('"%s" does not', (address) => {
  expect(isLoopbackAddress(address)).toBe(false);
});

test('no IPv4 address outside 127.0.0.0/8 leads to this machine, mapped into IPv6 or not', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      const isInside = address.startsWith('127.');
      expect(isLoopbackAddress(address)).toBe(isInside);
      expect(isLoopbackAddress(`::ffff:${address}`)).toBe(isInside);
    }),
  );
});

test('refuses a literal address in any way of writing it, and leaves names to be resolved', () => {
  const refuse = (url: string) => () => refuseOtherAddress(new URL(url).hostname);
  for (const url of [
    'http://3405803777/',
    'http://0xcb.0.113.1/',
    'http://[::ffff:203.0.113.1]/',
    'http://0/',
  ])
    expect(refuse(url)).toThrow(TypeError);
  for (const url of ['http://2130706433/', 'http://[::1]/', 'http://localhost/', 'http://example.test/'])
    expect(refuse(url)).not.toThrow();
});

function resolve(addresses: readonly LookupAddress[], all: boolean) {
  const inner: LookupFunction = (_host, _options, callback) => callback(null, [...addresses]);
  return new Promise((settle) => {
    createLoopbackLookup(inner)('shop.test', { all }, (...found) => settle(found));
  });
}

const here: LookupAddress = { address: '127.0.0.1', family: 4 };

test('passes on what a name resolves to, in the form asked for', async () => {
  expect(await resolve([here], false)).toEqual([null, '127.0.0.1', 4]);
  expect(await resolve([here], true)).toEqual([null, [here]]);
});

test('refuses a name of which a single address lies elsewhere, and one of none', async () => {
  for (const addresses of [[here, { address: '203.0.113.1', family: 4 }], []])
    expect(await resolve(addresses, true)).toEqual([expect.any(TypeError), []]);
});
