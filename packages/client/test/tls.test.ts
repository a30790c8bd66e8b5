import type { SecureVersion, TlsOptions as ServerOptions } from 'node:tls';
import { inspect } from 'node:util';
import { buildOrderUpdate, startMockOrderService } from '@orders/testing';
import { expect, test } from 'vitest';
import { createOrdersClient, type TlsOptions } from '../src/index.ts';
import { certifyClient, certifyServer, createAuthority } from './certificates.ts';
import { startTlsFront } from './tls-front.ts';
import { withoutBackoff } from './without-backoff.ts';

withoutBackoff();

const authority = await createAuthority('Private authority');
const stranger = await createAuthority('Another authority');
const certificate = await certifyServer(authority);
const update = buildOrderUpdate();
/** Sends an update to a service behind TLS. */
async function updateOverTls(served: ServerOptions, tls?: TlsOptions, maxAttempts = 1) {
  await using service = await startMockOrderService({ orders: ['order_1234'] });
  await using front = await startTlsFront(service, served);
  await using orders = createOrdersClient({
    baseUrl: front.url,
    apiKey: service.key,
    retry: { maxAttempts },
    tls,
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
])('an update to a server certificate %s is not sent', async (_name, served, tls, code, message) => {
  const { error, ...seen } = await updateOverTls(served, tls);
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

test('a certificate for another name is accepted when servername says so, and sent as SNI', async () => {
  const names: unknown[] = [];
  const served = await certifyServer(authority, { host: 'shop.example' });
  const SNICallback: ServerOptions['SNICallback'] = (name, done) => {
    names.push(name);
    done(null);
  };
  const own = { ca: [authority.cert, stranger.cert], servername: 'shop.example' };
  expect(await updateOverTls({ ...served, SNICallback }, own)).toMatchObject({ ok: true, applied: 1 });
  expect(names).toEqual(['shop.example']);
});

const own = await certifyClient(authority);

test.each<[string, unknown, RegExp]>([
  ['the name of a file as the authority', { ca: 'authority.pem' }, /^tls: .+ Pass the content of PEM files/],
  [
    'one authority of two that is none',
    { ca: [authority.cert, ''] },
    /^tls: .+ Pass the content of PEM files/,
  ],
  ['a key of another certificate', { ...own, key: foreign.key }, /^tls: .*key values mismatch/],
  ['a key that is none', { ...own, key: 'swordfish' }, /^tls: .+ the key not encrypted\.$/],
  ['a certificate without a key', { cert: own.cert }, /^tls: pass cert and key together/],
  ['a servername that is no text', { servername: 5 }, /^tls\.servername: write a host name/],
  ['a misspelled name', { serverName: 'a' }, /tls: unknown option "serverName"\. Did you mean "servername"/],
  [
    'what is no object',
    'authority.pem',
    /tls: expected an object of options\. Known: ca, cert, key, servername/,
  ],
])('createOrdersClient refuses %s', (_name, tls, message) => {
  const create = () =>
    createOrdersClient({ baseUrl: 'https://127.0.0.1', apiKey: 'swordfish', tls: tls as never });
  expect(create).toThrow(TypeError);
  expect(create).toThrow(message);
  expect(create).not.toThrow(/swordfish|PRIVATE KEY/);
});

test('a client shows nothing of a private key, nor of the password of a proxy', () => {
  const proxy = 'http://merchant:proxy-pass@proxy.example:3128';
  const orders = createOrdersClient({ baseUrl: 'https://127.0.0.1', apiKey: 'swordfish', tls: own, proxy });
  const shown = inspect(orders, { depth: 20, showHidden: true });
  expect(shown).not.toMatch(/PRIVATE KEY|proxy-pass|swordfish/);
});
