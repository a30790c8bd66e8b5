import type { SecureVersion, TlsOptions } from 'node:tls';
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
/** Sends an update to a service behind TLS, from a client that connects so, or as it does by default. */
async function updateOverTls(
  served: TlsOptions,
  connect?: { ca?: string; cert?: string; key?: string },
  maxAttempts = 1,
) {
  await using service = await startMockOrderService({ orders: ['order_1234'] });
  await using front = await startTlsFront(service, served);
  await using orders = createOrdersClient({
    baseUrl: front.url,
    apiKey: service.key,
    retry: { maxAttempts },
    ...(connect && { dispatcher: new Agent({ connect }) }),
  });
  const { ok, error } = await orders.safeUpdateOrder('order_1234', update);
  const { connections } = front;
  return { ok, error, connections, requests: service.journal.length, applied: service.ledger.length };
}

const unverified = 'UNABLE_TO_VERIFY_LEAF_SIGNATURE';

test.each([
  ['of an unknown authority', certificate, undefined, unverified, /unable to verify/],
  ['of another authority', certificate, { ca: stranger.cert }, unverified, /unable to verify/],
  [
    'for another host',
    await certifyServer(authority, { host: 'shop.example' }),
    { ca: authority.cert },
    'ERR_TLS_CERT_ALTNAME_INVALID',
    /is not in the cert's list\. .*Check the base URL/,
  ],
  [
    'that has expired',
    await certifyServer(authority, { expired: true }),
    { ca: authority.cert },
    'CERT_HAS_EXPIRED',
    /certificate has expired/,
  ],
])('an update to a server certificate %s is not sent', async (_name, served, connect, code, message) => {
  const { error, ...seen } = await updateOverTls(served, connect);
  expect(error).toMatchObject({
    name: 'ConnectionError',
    outcome: 'not_sent',
    attemptCount: 1,
    cause: { code },
  });
  expect(error?.message).toMatch(message);
  expect(seen).toMatchObject({ connections: 1, requests: 0 });
});

test('an update that a wrong server certificate stopped is retried', async () => {
  const { error, ...seen } = await updateOverTls(certificate, undefined, 2);
  expect(error).toMatchObject({ code: 'connection_error', outcome: 'not_sent', attemptCount: 2 });
  expect(seen).toMatchObject({ connections: 2, requests: 0 });
});

/** A server of one TLS version that requires a client certificate of the private authority. */
function mutual(version: SecureVersion) {
  const versions = { minVersion: version, maxVersion: version };
  return { ...certificate, ...versions, ca: authority.cert, requestCert: true, rejectUnauthorized: true };
}

test.each(['TLSv1.2', 'TLSv1.3'] as const)(
  'an update with a client certificate is applied under %s',
  async (version) => {
    const own = { ca: authority.cert, ...(await certifyClient(authority)) };
    expect(await updateOverTls(mutual(version), own)).toMatchObject({ ok: true, applied: 1 });
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
  const { error, ...seen } = await updateOverTls(mutual(version), { ca: authority.cert, ...own });
  expect(error).toMatchObject({ name: 'ConnectionError', outcome, attemptCount: 1 });
  expect(seen).toMatchObject({ connections: 1, requests: 0 });
});
