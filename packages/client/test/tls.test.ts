import type { SecureVersion } from 'node:tls';
import { buildOrderUpdate, startMockOrderService } from '@orders/testing';
import { expect, test } from 'vitest';
import { createOrdersClient } from '../src/index.ts';
import { Agent } from '../src/undici.ts';
import { certifyClient, certifyServer, createAuthority } from './certificates.ts';
import { startTlsFront } from './tls-front.ts';
import { withoutBackoff } from './without-backoff.ts';

withoutBackoff();

const authority = await createAuthority('Private authority');
const stranger = await createAuthority('Another authority');
const certificate = await certifyServer(authority);
const update = buildOrderUpdate();
const once = { maxAttempts: 1 } as const;

/** The option that makes a client connect so; without one it connects as it does by default. */
function connecting(connect: { ca?: string; cert?: string; key?: string } | undefined) {
  return connect ? { dispatcher: new Agent({ connect }) } : {};
}

test('an update reaches a service that a private authority certifies', async () => {
  await using service = await startMockOrderService({ orders: ['order_1234'] });
  await using front = await startTlsFront(service, certificate);
  await using orders = createOrdersClient({
    baseUrl: front.url,
    apiKey: service.key,
    dispatcher: new Agent({ connect: { ca: authority.cert } }),
  });
  await expect(orders.updateOrder('order_1234', update)).resolves.toMatchObject({ outcome: 'applied' });
  expect(service.appliedUpdates('order_1234')).toEqual([update]);
});

const unverified = 'UNABLE_TO_VERIFY_LEAF_SIGNATURE';

test.each([
  ['of an unknown authority', certificate, undefined, unverified, /unable to verify/],
  ['of another authority', certificate, { ca: stranger.cert }, unverified, /unable to verify/],
  [
    'for another host',
    await certifyServer(authority, { host: 'shop.example' }),
    { ca: authority.cert },
    'ERR_TLS_CERT_ALTNAME_INVALID',
    /does not match certificate's altnames/,
  ],
  [
    'that has expired',
    await certifyServer(authority, { expired: true }),
    { ca: authority.cert },
    'CERT_HAS_EXPIRED',
    /certificate has expired/,
  ],
])('a server certificate %s is not sent', async (_name, served, connect, code, message) => {
  await using service = await startMockOrderService({ orders: ['order_1234'] });
  await using front = await startTlsFront(service, served);
  await using orders = createOrdersClient({
    baseUrl: front.url,
    apiKey: service.key,
    retry: once,
    ...connecting(connect),
  });
  const { error } = await orders.safeUpdateOrder('order_1234', update);
  expect(error).toMatchObject({
    name: 'ConnectionError',
    outcome: 'not_sent',
    attemptCount: 1,
    message: expect.stringMatching(message),
    cause: { code },
  });
  expect(front.connections).toBe(1);
  expect(service.journal).toEqual([]);
});

test('an update that a wrong server certificate stopped is retried', async () => {
  await using service = await startMockOrderService({ orders: ['order_1234'] });
  await using front = await startTlsFront(service, certificate);
  await using orders = createOrdersClient({
    baseUrl: front.url,
    apiKey: service.key,
    retry: { maxAttempts: 2 },
  });
  const { error } = await orders.safeUpdateOrder('order_1234', update);
  expect(error).toMatchObject({ code: 'connection_error', outcome: 'not_sent', attemptCount: 2 });
  expect(front.connections).toBe(2);
  expect(service.journal).toEqual([]);
});

/** A server of one TLS version that requires a client certificate of the private authority. */
function mutual(version: SecureVersion) {
  const versions = { minVersion: version, maxVersion: version };
  return { ...certificate, ...versions, ca: authority.cert, requestCert: true, rejectUnauthorized: true };
}

test.each(['TLSv1.2', 'TLSv1.3'] as const)(
  'an update with a client certificate is applied under %s',
  async (version) => {
    await using service = await startMockOrderService({ orders: ['order_1234'] });
    await using front = await startTlsFront(service, mutual(version));
    await using orders = createOrdersClient({
      baseUrl: front.url,
      apiKey: service.key,
      ...connecting({ ca: authority.cert, ...(await certifyClient(authority)) }),
    });
    await expect(orders.updateOrder('order_1234', update)).resolves.toMatchObject({ outcome: 'applied' });
    expect(service.appliedUpdates('order_1234')).toEqual([update]);
  },
);

const foreign = await certifyClient(stranger);

// A TLS 1.3 client ends its handshake, and may send, before the server has checked its certificate.
test.each([
  ['missing', 'TLSv1.2', 'not_sent', {}],
  ['foreign', 'TLSv1.2', 'not_sent', foreign],
  ['missing', 'TLSv1.3', 'unknown', {}],
  ['foreign', 'TLSv1.3', 'unknown', foreign],
] as const)('a %s client certificate refused under %s is %s', async (_name, version, outcome, own) => {
  await using service = await startMockOrderService({ orders: ['order_1234'] });
  await using front = await startTlsFront(service, mutual(version));
  await using orders = createOrdersClient({
    baseUrl: front.url,
    apiKey: service.key,
    retry: once,
    ...connecting({ ca: authority.cert, ...own }),
  });
  const { error } = await orders.safeUpdateOrder('order_1234', update);
  expect(error).toMatchObject({ name: 'ConnectionError', outcome, attemptCount: 1 });
  expect(front.connections).toBe(1);
  expect(service.journal).toEqual([]);
});

test('an update that a server refused under TLS 1.3 is not resent, and an echo is', async () => {
  await using service = await startMockOrderService({ orders: ['order_1234'] });
  await using front = await startTlsFront(service, mutual('TLSv1.3'));
  await using orders = createOrdersClient({
    baseUrl: front.url,
    apiKey: service.key,
    retry: { maxAttempts: 2 },
    ...connecting({ ca: authority.cert }),
  });
  const { error } = await orders.safeUpdateOrder('order_1234', update);
  expect(error).toMatchObject({ outcome: 'unknown', attemptCount: 1 });
  await expect(orders.echo()).rejects.toMatchObject({ outcome: 'unknown', attemptCount: 2 });
  expect(service.journal).toEqual([]);
});
