import { tracingChannel } from 'node:diagnostics_channel';
import { createServer, type ServerResponse } from 'node:http';
import process from 'node:process';
import { setImmediate as turn } from 'node:timers/promises';
import { inspect, isDeepStrictEqual } from 'node:util';
import { basic, Secret } from '@orders/auth';
import { buildOrderUpdate } from '@orders/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redactionCases, redactionSecrets } from '../../../.ci/redaction-cases.ts';
import { createOrdersClient as createOverFetch } from '../src/fetch.ts';
import { createOrdersClient as createOverUndici, HttpError, InvalidResponseError } from '../src/index.ts';
import { listenOnLoopback } from './loopback.ts';

const entries = [
  { entry: 'undici', create: createOverUndici },
  { entry: 'fetch', create: createOverFetch },
] as const;
type RedactionSecret = (typeof redactionSecrets)[number];
const [basicSecret, bearerSecret] = redactionSecrets.slice(2) as [RedactionSecret, RedactionSecret];
const textsOf = ({ key }: RedactionSecret) =>
  redactionCases.filter((one) => one.key === key && one.only !== 'testing');
/** A few of the forms that src/redact.test.ts goes through. */
const fewTextsOf = (secret: RedactionSecret) =>
  textsOf(secret)
    .filter(({ name }) => ['plain, the header', 'percent', 'JSON \\u'].includes(name))
    .map(({ text }) => text);
const update = buildOrderUpdate();

/** A service that responds to each request as a test says. */
async function startService(respond: (response: ServerResponse) => void) {
  const server = createServer((request, response) => request.resume().on('end', () => respond(response)));
  const listener = await listenOnLoopback(server);
  return {
    url: `http://127.0.0.1:${listener.port}`,
    [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
  };
}

/** Listens to the tracing channel `orders.request`. */
function listenToTraces() {
  const seen: object[] = [];
  const record = (trace: object) => void seen.push({ ...trace });
  const handlers = { start: record, end: record, asyncStart: record, asyncEnd: record, error: record };
  const channel = tracingChannel<unknown, object>('orders.request');
  channel.subscribe(handlers);
  return { seen, [Symbol.dispose]: () => void channel.unsubscribe(handlers) };
}

/** All that a log, a debugger or a person can get out of a value, as one text. */
function everyTextOf(value: unknown): string {
  const all = { depth: Number.POSITIVE_INFINITY, maxStringLength: null, maxArrayLength: null };
  const texts = [
    String(value),
    JSON.stringify(value),
    inspect(value, { ...all, showHidden: true }),
    inspect(value, { ...all, showHidden: true, customInspect: false }),
  ];
  const seen = new Set<unknown>();
  const walk = (found: unknown): void => {
    if (typeof found === 'string') texts.push(found);
    if (typeof found !== 'object' || found === null || seen.has(found)) return;
    seen.add(found);
    for (const name of Reflect.ownKeys(found)) {
      texts.push(String(name));
      walk(Reflect.get(found, name));
    }
  };
  walk(value);
  return texts.join('\n');
}

/** The start of a form is enough to know it by, and is what a body holds that broke off. */
function expectNoKey(value: unknown, secret: RedactionSecret): void {
  const text = everyTextOf(value);
  for (const { name, text: form } of textsOf(secret))
    expect(text.includes(form.slice(0, 10)), name).toBe(false);
}

/** A form as JSON that holds it, unescaped once where it is JSON itself. */
function quote(written: string): string {
  try {
    JSON.parse(`"${written}"`);
    return `"${written}"`;
  } catch {
    return JSON.stringify(written);
  }
}

const rows = entries.flatMap((each) =>
  [200, 422].flatMap((status) => [basicSecret, bearerSecret].map((secret) => ({ ...each, status, secret }))),
);

test.each(rows)('over $entry, a key echoed by a $status ($secret.key) shows in data alone', async (row) => {
  const { entry, create, status, secret } = row;
  const { key, authorization } = secret;
  let written = '';
  let isCut = false;
  const bodyOf = () => `{${quote(written)}:[${quote(written)}],"whole":true}`;
  await using service = await startService((response) => {
    const body = bodyOf();
    const bytes = Buffer.from(written).toString('latin1');
    response.writeHead(status, bytes, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'x-echo': bytes,
      'x-echoes': [bytes, `key=${bytes}`],
    });
    if (!isCut) response.end(body);
    else response.write(body.slice(0, quote(written).length - 2), () => response.destroy());
  });
  const credentials = authorization.startsWith('Basic')
    ? { apiKey: key }
    : { credentials: new Secret(authorization) };
  await using orders = create({ baseUrl: service.url, retry: { maxAttempts: 1 }, ...credentials });
  using traces = listenToTraces();
  const attempts: object[] = [];
  const afterAttempt = (end: object) => void attempts.push(end);

  const forms = fewTextsOf(secret);
  for (const form of forms) {
    written = form;
    isCut = false;
    const result = await orders.safeUpdateOrder('order_token_1234', update, { afterAttempt });
    const { data, ...shown } = result;
    expectNoKey(shown, secret);
    if (result.ok) {
      expect(isDeepStrictEqual(data, JSON.parse(bodyOf()))).toBe(true);
      expect(result.headers['x-echo']).toBe('[secret]');
    } else {
      expect(result.error).toMatchObject({
        status,
        headers: { 'x-echo': '[secret]' },
        body: '{"[secret]":["[secret]"],"whole":true}',
      });
    }
    const echoed = await orders.echo({ afterAttempt }).catch((error: unknown) => error);
    expect(echoed instanceof HttpError).toBe(status !== 200);
    expectNoKey({ ...(echoed as object), data: undefined }, secret);
    expectNoKey(status === 200 ? undefined : echoed, secret);

    isCut = true;
    const { error } = await orders.safeUpdateOrder('order_token_1234', update, { afterAttempt });
    expect(error).toBeInstanceOf(status === 200 ? InvalidResponseError : HttpError);
    for (const part of [error, error?.stack, error?.cause, error?.receipt, `${error?.receipt}`])
      expectNoKey(part, secret);
  }
  expect(attempts).toHaveLength(3 * forms.length);
  expect(traces.seen.length > 0).toBe(entry === 'undici');
  expectNoKey([attempts, traces.seen], secret);
});

test('errors that hooks throw show no key that a function for credentials returned', async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning);
  await using service = await startService((response) =>
    response.writeHead(429, { 'retry-after': '0' }).end(),
  );
  const credentials = async () => basic(basicSecret.key);
  await using orders = createOverUndici({ baseUrl: service.url, credentials });
  const fail = () => {
    throw Object.assign(new Error(fewTextsOf(basicSecret).join(' ')), basicSecret);
  };
  process.on('warning', onWarning);
  const stopped = await orders
    .echo({ beforeAttempt: ({ attempt }) => attempt === 2 && fail(), afterAttempt: fail })
    .catch((error: unknown) => error);
  await turn();
  process.off('warning', onWarning);
  expect(stopped).toMatchObject({ code: 'aborted', attemptCount: 1 });
  expect(warnings).toHaveLength(1);
  for (const shown of [warnings, stopped]) expect(everyTextOf(shown)).toContain('[secret] [secret]');
  expectNoKey([warnings, stopped], basicSecret);
});

test('no key of a rotation shows, though the last one was read since', async () => {
  const rotation = ['old-key_swordfish', 'new-key_barracuda'];
  const responses = [
    { status: 429, headers: { 'retry-after': '0' } },
    { status: 401, headers: { 'x-note': rotation.join() } },
  ];
  await using service = await startService((response) => {
    const { status, headers } = responses.shift() ?? { status: 200, headers: {} };
    response.writeHead(status, headers).end(`you sent ${rotation.join()}`);
  });
  const given = [...rotation];
  const credentials = () => {
    const key = given.shift();
    if (key === undefined) throw new Error(`no key after ${rotation[1]}`);
    return basic(key);
  };
  await using orders = createOverUndici({ baseUrl: service.url, credentials });
  const { error } = await orders.safeUpdateOrder('order_1234', update, { retry: { maxAttempts: 2 } });
  expect(error).toMatchObject({ status: 401, body: 'you sent [secret],[secret]', attemptCount: 2 });
  const next = await orders.safeUpdateOrder('order_1234', update, { retry: { maxAttempts: 1 } });
  expect(next.error).toMatchObject({ code: 'connection_error', outcome: 'not_sent' });
  expect(next.error?.message).toContain('no key after [secret]');
  for (const each of [error, next.error])
    expect(inspect(each, { depth: 9, showHidden: true })).not.toMatch(/swordfish|barracuda/);
});

const keys = ['test', 'a', '6100', 'true', '{', 'null', '"', 'swordfish-swordfish'];
const keyAndData = fc.constantFrom(...keys).chain((key) => {
  const word = fc.oneof(fc.constantFrom(...formsOf(key)), fc.string());
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3 },
      fc.jsonValue(),
      word,
      fc.array(tie('tree')),
      fc.dictionary(word, tie('tree')),
    ),
  }));
  return fc.tuple(fc.constant(key), tree);
});

test.each(entries)(
  'over $entry, data is what JSON.parse makes of the body, whatever the key',
  async ({ create }) => {
    let body = '';
    await using service = await startService((response) => {
      response.setHeader('content-type', 'application/json').end(body);
    });
    const staysAsSent = fc.asyncProperty(keyAndData, async ([key, sent]) => {
      await using orders = create({ baseUrl: service.url, apiKey: key });
      body = JSON.stringify(sent);
      const { data } = await orders.updateOrder('order_token_1234', update);
      expect(isDeepStrictEqual(data, JSON.parse(body))).toBe(true);
    });
    const examples = keys.map((key): [[string, unknown]] => [
      [key, { test: true, a: 6100, null: [formsOf(key)] }],
    ]);
    await fc.assert(staysAsSent, { numRuns: 60, examples });
  },
);

function formsOf(key: string): string[] {
  const hex = Buffer.from(key).toString('hex');
  return [key, `Basic ${btoa(`${key}:`)}`, btoa(key), hex, encodeURIComponent(key)];
}
