import { createServer as createHttpServer } from 'node:http';
import { createServer as createTcpServer, type Server } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { buildOrderUpdate } from '@orders/testing';
import { expect, test } from 'vitest';
import { createOrdersClient as createOverFetch } from '../src/fetch.ts';
import { createOrdersClient, type OrdersError } from '../src/index.ts';
import { Agent, explainTlsError } from '../src/undici.ts';
import { certifyClient, certifyServer, createAuthority } from './certificates.ts';
import { listenOnLoopback } from './loopback.ts';

const authority = await createAuthority('Private authority');
const stranger = await createAuthority('Another authority');
const certificate = await certifyServer(authority);
const weak = await certifyServer(undefined, { weakKey: true });
const once = { maxAttempts: 1 };
const apiKey = 'swordfish-swordfish';
/** Lets this server do what OpenSSL refuses by default. */
const lax = { ciphers: 'DEFAULT:@SECLEVEL=0' };

function tlsServer(options: TlsOptions): Server {
  const server = createTlsServer({ ...lax, ...options }, (socket) => socket.on('error', () => {}));
  return server.on('tlsClientError', () => {});
}

/** The error of an update to a server, from a client that connects so, or as it does by default. */
async function errorOf(
  server: Server,
  connect?: object,
  protocol = 'https',
): Promise<OrdersError | undefined> {
  await using listener = await listenOnLoopback(server);
  await using orders = createOrdersClient({
    baseUrl: `${protocol}://127.0.0.1:${listener.port}`,
    apiKey,
    retry: once,
    ...(connect && { dispatcher: new Agent({ connect }) }),
  });
  return (await orders.safeUpdateOrder('order_1234', buildOrderUpdate())).error;
}

const trusting = { ca: authority.cert };
const version = (protocol: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3') => ({
  ...certificate,
  minVersion: protocol,
  maxVersion: protocol,
});
const mutual = { ca: authority.cert, requestCert: true, rejectUnauthorized: true };
const clientOf = async (issuer: typeof authority) => ({ ...trusting, ...(await certifyClient(issuer)) });

const renew = 'The service has to renew its certificate';
const trust = 'set NODE_EXTRA_CA_CERTS';
const stronger = 'The service needs a certificate with';
const ownCertificate = 'requires a client certificate';
const noTls = 'Does this port serve https?';

test.each<[name: string, outcome: string, advice: string, server: Server, connect?: object]>([
  [
    'an expired certificate',
    'not_sent',
    renew,
    tlsServer(await certifyServer(authority, { expired: true })),
    trusting,
  ],
  [
    'a certificate that is not yet valid',
    'not_sent',
    'Check the clock of this machine',
    tlsServer(await certifyServer(authority, { notYetValid: true })),
    trusting,
  ],
  [
    'a certificate of another host',
    'not_sent',
    'Check the base URL',
    tlsServer(await certifyServer(authority, { host: 'shop.example' })),
    trusting,
  ],
  ['a self-signed certificate', 'not_sent', trust, tlsServer(await certifyServer(undefined))],
  ['a certificate of an unknown authority', 'not_sent', trust, tlsServer(certificate)],
  ['a certificate of another authority', 'not_sent', trust, tlsServer(certificate), { ca: stranger.cert }],
  [
    'a self-signed certificate in the chain',
    'not_sent',
    trust,
    tlsServer({ ...certificate, cert: `${certificate.cert}\n${authority.cert}` }),
  ],
  [
    'a certificate over SHA-1',
    'not_sent',
    stronger,
    tlsServer(await certifyServer(authority, { sha1: true })),
    trusting,
  ],
  ['a key of 1,024 bits', 'not_sent', stronger, tlsServer(weak), { ca: weak.cert }],
  ['TLS 1.0 alone', 'not_sent', 'TLS 1.2 or 1.3', tlsServer(version('TLSv1')), trusting],
  ['TLS 1.1 alone', 'not_sent', 'TLS 1.2 or 1.3', tlsServer(version('TLSv1.1')), trusting],
  [
    'no common cipher',
    'not_sent',
    'shares no cipher',
    tlsServer({ ...version('TLSv1.2'), ciphers: 'NULL-SHA256:@SECLEVEL=0' }),
    trusting,
  ],
  ['no certificate', 'not_sent', 'shares no cipher', tlsServer({}), trusting],
  [
    'a client certificate that is missing under TLS 1.2',
    'not_sent',
    ownCertificate,
    tlsServer({ ...version('TLSv1.2'), ...mutual }),
    trusting,
  ],
  [
    'a client certificate of a stranger under TLS 1.2',
    'not_sent',
    ownCertificate,
    tlsServer({ ...version('TLSv1.2'), ...mutual }),
    await clientOf(stranger),
  ],
  ['plain HTTP at the port', 'not_sent', noTls, createHttpServer((_request, response) => response.end())],
  [
    'another protocol at the port',
    'not_sent',
    noTls,
    createTcpServer((socket) => socket.end('220 mail\r\n')),
  ],
  ['a port that closes', 'not_sent', noTls, createTcpServer((socket) => socket.on('error', () => {}).end())],
])(
  '%s: the update is %s, and the message says what to do',
  async (_name, outcome, advice, server, connect) => {
    const error = await errorOf(server, connect);
    expect(error).toMatchObject({ code: 'connection_error', outcome });
    expect(error?.message).toContain(advice);
    expect(error?.message).not.toMatch(/UNSPECIFIED|openssl|\.c:\d|SSL routines|\n/);
    expect(JSON.stringify(error?.cause)).not.toMatch(/openssl/);
  },
);

test('plain HTTP to a port of TLS, which responds with an alert, says so', async () => {
  const alert = Buffer.from([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x46]);
  const error = await errorOf(
    createTcpServer((socket) => socket.once('data', () => socket.end(alert))),
    undefined,
    'http',
  );
  expect(error).toMatchObject({ code: 'connection_error', outcome: 'unknown' });
  expect(error?.message).toContain('whether the base URL begins with http or https');
});

test.each([
  ['tlsv13 alert certificate required', 'TLSV13_ALERT_CERTIFICATE_REQUIRED', ownCertificate],
  ['sslv3 alert bad certificate', 'SSLV3_ALERT_BAD_CERTIFICATE', ownCertificate],
  ['ssl/tls alert certificate expired', 'SSL/TLS_ALERT_CERTIFICATE_EXPIRED', ownCertificate],
  ['tlsv1 alert unknown ca', 'TLSV1_ALERT_UNKNOWN_CA', ownCertificate],
  ['unsupported protocol', 'UNSUPPORTED_PROTOCOL', 'TLS 1.2 or 1.3'],
  ['dh key too small', 'DH_KEY_TOO_SMALL', 'shares no cipher'],
  ['packet length too long', 'PACKET_LENGTH_TOO_LONG', noTls],
])('explains OpenSSL’s "%s", which a server may send at any time', (reason, name, advice) => {
  const message = `40:error:0A00045C:SSL routines:ssl3_read_bytes:${reason}:../deps/openssl/x.c:9:SSL alert`;
  const explained = explainTlsError(Object.assign(new Error(message), { code: `ERR_SSL_${name}`, reason }));
  expect(explained).toMatchObject({ reason, advice: expect.stringContaining(advice) });
});

test('explains nothing that is no failure of TLS', () => {
  const trap = new Proxy({}, { get: () => expect.fail() });
  for (const other of [
    Object.assign(new Error('x'), { code: 'ECONNREFUSED' }),
    'text',
    undefined,
    null,
    trap,
  ])
    expect(explainTlsError(other)).toBeUndefined();
});

test('over fetch no message holds the source paths of OpenSSL', async () => {
  const server = createHttpServer((_request, response) => response.end());
  await using listener = await listenOnLoopback(server);
  await using orders = createOverFetch({
    baseUrl: `https://127.0.0.1:${listener.port}`,
    apiKey,
    retry: once,
  });
  const { error } = await orders.safeUpdateOrder('order_1234', buildOrderUpdate());
  expect(error?.message).toContain('wrong version number');
  expect(error?.message).not.toMatch(/openssl|\.c:\d|SSL routines|\n/);
});
