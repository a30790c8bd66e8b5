import { truncateSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates, type TlsOptions } from 'node:tls';
import { startMockOrderService } from '@orders/testing';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../../.ci/free-ports.ts';
import { startProxy } from '../../client/test/proxy.ts';
import { mountDisk } from '../../outbox/test/mount-disk.ts';
import { countByRow, createBulkFile } from './bulk-file.ts';
import { openFullDevice } from './open-full-device.ts';
import { runHere } from './run-here.ts';
import { createFolder, type Folder, runOrders, startOrders, until } from './run-orders.ts';

/** Each test has a service and files of its own. */
const own = { concurrent: true };
const key = 'sk_test_4f1b9c27';
const update = '{"cart":{"items":[]}}';
const tokens = ['ord_1', 'ord_2'];
const day = 86_400_000;

async function listen(listener: RequestListener, tls?: TlsOptions) {
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  // A stalled machine must not look like a service that closes connections.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http${tls ? 's' : ''}://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function certify(days: number, commonName = 'orders.example') {
  const made = await generate([{ name: 'commonName', value: commonName }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(Date.now() - 90 * day),
    notAfterDate: new Date(Date.now() + days * day),
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  return { cert: made.cert, key: made.private };
}

const authorities = getCACertificates('default');
afterAll(() => setDefaultCACertificates(authorities));

/** Lets this process trust a certificate, as NODE_EXTRA_CA_CERTS does. */
const trust = (certificate: string): void =>
  setDefaultCACertificates([...getCACertificates('default'), certificate]);

describe('one clear message each, and nothing is sent', () => {
  let folder: Folder;
  const runAll = async (url: string) => {
    const run = (...words: readonly string[]) =>
      runHere([...words, '--base-url', url], { folder, env: { ORDERS_API_KEY: key } });
    const [check, one, many] = await Promise.all([
      run('check'),
      run('update', 'ord_1', './update.json'),
      run('send', './updates.csv'),
    ]);
    expect(many).toMatchObject({ code: 3, stdout: '' });
    expect(many.stderr).toMatch(/^orders: Nothing was sent\. .*"orders check" says what to do\.\n$/);
    expect(check.code).toBe(1);
    expect(await readdir(folder.path)).not.toContain('updates.csv.orders-journal');
    return { check: check.stdout, one: one.stdout, oneCode: one.code, many: many.stderr };
  };
  beforeAll(async () => {
    folder = await createFolder({ 'updates.csv': createBulkFile(10, tokens), 'update.json': update });
  });
  afterAll(() => folder[Symbol.asyncDispose]());

  test('a wrong key', own, async () => {
    await using service = await startMockOrderService({ orders: tokens });
    const found = await runAll(service.url);
    expect(found.check).toMatch(/^fail +echo +.*401/m);
    expect(found.check).toContain('Is it the private key');
    expect(found).toMatchObject({ oneCode: 1, one: expect.stringContaining('Rejected') });
    expect(found.many).toContain('401');
    expect(service.ledger).toEqual([]);
  });

  test('a wrong path', own, async () => {
    await using service = await startMockOrderService({ orders: tokens, keys: [key] });
    const found = await runAll(`${service.url}/api`);
    expect(found.check).toContain('what comes before /v2');
    expect(found.many).toContain('404');
  });

  test('a refused connection', own, async () => {
    const found = await runAll(`http://127.0.0.1:${await freePort()}`);
    expect(found.check).toMatch(/^fail +TCP +.*ECONNREFUSED/m);
    expect(found.check).toMatch(/^skip +echo +not reached$/m);
    expect(found).toMatchObject({ oneCode: 3, one: expect.stringContaining('Not sent') });
    expect(found.many).toContain('ECONNREFUSED');
  });

  test('an expired certificate, and one of an unknown authority', own, async () => {
    await using expired = await listen((_, response) => void response.end(), await certify(-1));
    const found = await runAll(expired.url);
    expect(found.check.replace(/\s+/g, ' ')).toContain(
      'certificate has expired: certificate of orders.example, issued by orders.example. The service has to renew',
    );
    expect(found).toMatchObject({ oneCode: 3, one: expect.stringContaining('Not sent') });
    await using unknown = await listen((_, response) => void response.end(), await certify(90));
    const { check } = await runAll(unknown.url);
    expect(check.replace(/\s+/g, ' ')).toContain('self-signed certificate');
    expect(check).toContain('NODE_EXTRA_CA_CERTS');
  });

  test('a handshake that fails', own, async () => {
    const certificate = await certify(90);
    const lax = { ...certificate, ciphers: 'DEFAULT:@SECLEVEL=0' };
    const mutual = { requestCert: true, rejectUnauthorized: true };
    const respond: RequestListener = (_, response) => void response.end();
    const cases: readonly (readonly [TlsOptions | undefined, RegExp])[] = [
      [{ ...lax, minVersion: 'TLSv1', maxVersion: 'TLSv1.1' }, /protocol version\. .*to support TLS 1\.2/],
      [{ ...lax, ...mutual, maxVersion: 'TLSv1.2' }, /handshake failure\. .*requires a client certificate/],
      [undefined, /wrong version number\. Does this port serve https\?/],
    ];
    for (const [tls, advice] of cases) {
      await using server = await listen(respond, tls);
      const words = ['check', '--json', '--base-url', server.url.replace('http:', 'https:')];
      const { stdout } = await runHere(words, { env: { ORDERS_API_KEY: key } });
      const tlsCheck = JSON.parse(stdout).checks.find(({ check }: { check: string }) => check === 'TLS');
      expect(`${tlsCheck.message}. ${tlsCheck.advice}`).toMatch(advice);
      expect(stdout).not.toMatch(/openssl|UNSPECIFIED|ERR_SSL/);
    }
  });

  test(
    'a client certificate that is missing under TLS 1.3, where the handshake is over before',
    own,
    async () => {
      const tls = await certify(90, 'trusted.example');
      const mutual = { ...tls, requestCert: true, rejectUnauthorized: true, minVersion: 'TLSv1.3' } as const;
      await using server = await listen((_, response) => void response.end(), mutual);
      trust(tls.cert);
      const words = ['check', '--base-url', server.url];
      const { code, stdout } = await runHere(words, { env: { ORDERS_API_KEY: key } });
      expect(code).toBe(1);
      expect(stdout.replace(/\s+/g, ' ')).toContain('requires a client certificate');
    },
  );

  test('plain HTTP to a port of TLS', own, async () => {
    await using server = await listen((_, response) => void response.end(), await certify(90));
    const { stdout } = await runHere(['check', '--base-url', server.url.replace('https:', 'http:')], {
      env: { ORDERS_API_KEY: key },
    });
    expect(stdout.replace(/\s+/g, ' ')).toContain('Does this port serve https?');
  });

  test('the page of a proxy', own, async () => {
    await using proxy = await listen((_, response) => {
      response.writeHead(403, { 'content-type': 'text/html' }).end('<html>Blocked</html>');
    });
    const found = await runAll(proxy.url);
    expect(found.check.replace(/\s+/g, ' ')).toContain(
      'A proxy or another site responded: check the base URL.',
    );
    expect(found).toMatchObject({ oneCode: 1, one: expect.stringContaining('it may have been applied') });
    expect(found.many).toContain('HTML page');
  });

  test('no key, and no base URL', own, async () => {
    const noUrl = await runHere(['send', './updates.csv'], { folder, env: { ORDERS_API_KEY: key } });
    expect(noUrl).toMatchObject({ code: 2, stderr: expect.stringContaining('--base-url') });
    const noKey = await runHere(['check', '--base-url', 'http://127.0.0.1:1']);
    expect(noKey).toMatchObject({ code: 2, stderr: expect.stringContaining('ORDERS_API_KEY') });
  });
});

test(
  'a check passes with a certificate that ends soon, says so, and shows rate limits and a wrong clock',
  own,
  async () => {
    const tls = await certify(5.5);
    await using server = await listen((_, response) => {
      const date = new Date(Date.now() + 90_000).toUTCString();
      response
        .writeHead(200, {
          'content-type': 'application/json',
          date,
          'ratelimit-limit': '100',
          'x-ratelimit-remaining': '42',
        })
        .end('{}');
    }, tls);
    trust(tls.cert);
    const words = ['check', '--json', '--base-url', server.url];
    const begun = Date.now();
    const { code, stdout } = await runHere(words, { env: { ORDERS_API_KEY: key } });
    const tookMs = Date.now() - begun;
    const { ok, checks } = JSON.parse(stdout);
    expect(checks).toMatchObject([
      { check: 'DNS', result: 'ok' },
      { check: 'TCP', result: 'ok' },
      { check: 'TLS', result: 'warn', message: expect.stringMatching(/orders\.example.* valid for 5 days/) },
      { check: 'echo', result: 'ok' },
      { check: 'latency', result: 'ok' },
      { check: 'clock', result: 'warn', message: expect.stringMatching(/^\d+ s behind that of/) },
      { check: 'rate limit', message: 'ratelimit-limit: 100, x-ratelimit-remaining: 42' },
    ]);
    // The response was under way for a part of this time, and its header has no fractions of a second.
    const behind = Number.parseInt(checks[5].message, 10);
    expect(behind).toBeLessThanOrEqual(90);
    expect(behind).toBeGreaterThanOrEqual(Math.round((89_000 - tookMs) / 1_000));
    expect({ code, ok }).toEqual({ code: 0, ok: true });
  },
);

test('a check connects through the proxy, and with the authority, of --config', own, async () => {
  const echo: RequestListener = (_, response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  const tls = await certify(90, 'private.example');
  await using plain = await listen(echo);
  await using secure = await listen(echo, tls);
  await using proxy = await startProxy();
  // No name server knows it: the proxy does.
  const behind = plain.url.replace('127.0.0.1', 'orders.invalid');
  for (const [config, url] of [
    [{ proxy: proxy.url }, behind],
    [{ tls: { ca: tls.cert } }, secure.url],
  ] as const) {
    await using folder = await createFolder({ 'config.json': JSON.stringify(config) });
    const { code, stdout } = await runHere(
      ['check', '--json', '--config', './config.json', '--base-url', url, '--allow-insecure-http'],
      { folder, env: { ORDERS_API_KEY: key } },
    );
    const message = `not checked, since --config sets ${Object.keys(config)[0]}`;
    expect(JSON.parse(stdout).checks.slice(0, 4)).toMatchObject([
      ...['DNS', 'TCP', 'TLS'].map((check) => ({ check, result: 'skip', message })),
      { check: 'echo', result: 'ok' },
    ]);
    expect(code).toBe(0);
  }
});

test('what the service says is escaped in the result file', own, async () => {
  await using server = await listen((request, response) => {
    request.resume();
    response
      .writeHead(request.method === 'PATCH' ? 400 : 200, {
        'content-type': 'application/json',
        'x-request-id': 'id\u009b31m\u00ad',
      })
      .end('{}');
  });
  await using folder = await createFolder({ 'updates.csv': createBulkFile(1, tokens) });
  for (const name of ['results.csv', 'results.ndjson']) {
    const words = ['send', './updates.csv', '--base-url', server.url, '--result', `./${name}`];
    await runHere(words, { folder, env: { ORDERS_API_KEY: key } });
    const text = await readFile(folder.file(name), 'utf8');
    expect(text).toContain(String.raw`id\u009b31m\u00ad`);
    expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
  }
});

test('a file that cannot be read, or not to its end, sends nothing', own, async () => {
  await using service = await startMockOrderService({ orders: tokens, keys: [key] });
  const broken = createBulkFile(1_999, tokens).split('\n');
  broken[1_998] = 'ord_1,row-1999,"mug';
  await using folder = await createFolder({
    'broken.csv': broken.join('\n'),
  });
  const env = { ORDERS_API_KEY: key };
  const send = (file: string) => runHere(['send', file, '--base-url', service.url], { folder, env });
  const malformed = await send('./broken.csv');
  expect(malformed).toMatchObject({ code: 1, stderr: '' });
  expect(malformed.stdout).toMatch(/^broken\.csv:1999:3 row 1999 \(malformed\)$/m);
  expect(malformed.stdout).toContain('Nothing was sent. Fix the file.');
  expect(await send('./none.csv')).toMatchObject({ code: 3, stderr: expect.stringContaining('none.csv') });
  expect(await send('./.')).toMatchObject({ code: 3, stderr: expect.stringContaining('folder') });
  expect(service.journal).toEqual([]);
});

test('a full disk ends the run with what was sent, and the next one goes on', own, async ({ skip }) => {
  await using disk = await mountDisk(16);
  if (!disk) return skip('no disk can be mounted here');
  await using service = await startMockOrderService({ orders: tokens, keys: [key] });
  await writeFile(join(disk.folder, 'updates.csv'), createBulkFile(300, tokens));
  const env = { ORDERS_API_KEY: key };
  const words = (file: string) => ['send', file, '--json', '--base-url', service.url];
  // Beside the service responses would not come while the journal is written, and all of them would be in it.
  await using running = startOrders([...words('updates.csv'), '--rate', '60'], { cwd: disk.folder, env });
  await until('it sends', () => service.ledger.length > 20);
  disk.fill();
  const { code, stdout, stderr } = await running.ended;
  expect([code, stderr]).toEqual([3, expect.stringMatching(/The journal could not be written: .*full/)]);
  const { applied } = JSON.parse(stdout);
  expect(service.ledger.length).toBeLessThan(300);
  // What is applied and not in the journal is printed.
  expect(applied + (stderr.match(/^Row \d+ was applied/gm) ?? []).length).toBe(service.ledger.length);
  disk.free();
  const next = await runHere(words(join(disk.folder, 'updates.csv')), { env });
  expect(JSON.parse(next.stdout).stopped).toBeUndefined();
  expect(Math.max(...countByRow(service.ledger).values())).toBe(1);
});

test(
  'a disk that is full from the first rows on: only those that become unknown are said to',
  own,
  async ({ skip }) => {
    await using disk = await mountDisk(1);
    if (!disk) return skip('no disk can be mounted here');
    const many = Array.from({ length: 60 }, (_, index) => `ord_${index}`);
    await using service = await startMockOrderService({ orders: many, keys: [key] });
    await using folder = await createFolder({ 'updates.csv': createBulkFile(60, many) });
    const journal = join(disk.folder, 'journal');
    const words = ['send', './updates.csv', '--json', '--base-url', service.url, '--journal', journal];
    const options = { folder, env: { ORDERS_API_KEY: key } };
    disk.fill();
    // As much as the tables of the journal and its first rows take.
    truncateSync(join(disk.folder, 'filler'), 1_048_576 - 64 * 1_024);
    const { code, stderr } = await runHere(words, options);
    expect([code, stderr]).toEqual([3, expect.stringMatching(/The journal could not be written: .*full/)]);
    disk.free();
    const said = (stderr.match(/^Row \d+ was .* it becomes unknown/gm) ?? []).length;
    const next = await runHere(words, options);
    expect(JSON.parse(next.stdout)).toMatchObject({ unknown: said, applied: 60 - said });
    expect(service.ledger).toHaveLength(60);
  },
);

test('an output that cannot be written is reported', own, async ({ skip }) => {
  const output = openFullDevice();
  if (output === undefined) return skip('there is no /dev/full that this user may open');
  await using folder = await createFolder({ 'update.json': update });
  const { code, stderr } = await runOrders(['validate', 'update.json'], {
    cwd: folder.path,
    output,
  });
  expect([code, stderr]).toEqual([3, expect.stringContaining('The output could not be written')]);
});
