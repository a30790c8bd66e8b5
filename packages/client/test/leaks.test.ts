import { tracingChannel } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inFull } from '../../../.ci/in-full.ts';
import { anyCharacter, maxCharacter } from '../../../.ci/redaction-cases.ts';
import { createOrdersClient, OrdersError, type OrdersRequestTrace } from '../src/index.ts';
import { startRawServer } from './raw-server.ts';

const calls = inFull ? 10_000 : 100;
const batch = 100;

/** A header value cannot hold line breaks; everything else is echoed as bytes. */
const line = (text: string): string => text.replace(/[\r\n]/g, ' ');

interface Echo {
  readonly key: string;
  readonly header: string;
}

/** What a careless service echoes, each with the key or the header in another encoding. */
const echoes: ((echo: Echo) => string)[] = [
  ({ key, header }) => JSON.stringify({ key, header }),
  ({ key }) => encodeURIComponent(key),
  ({ header }) => `<p>${header}</p>`,
  ({ key }) => `<p>${key.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</p>`,
  ({ key }) => Buffer.from(key).toString('base64'),
  ({ key }) => Buffer.from(`${key}:`).toString('base64url'),
  ({ key }) => Buffer.from(key).toString('hex'),
  ({ key }) =>
    `"${JSON.stringify(key).replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`,
];

/** How the response fails. */
const responses: ((socket: Socket, echoed: string) => void)[] = [
  ...[400, 401, 403, 404, 409, 422, 500, 502, 799].map((status) => (socket: Socket, echoed: string) => {
    const body = Buffer.from(echoed);
    const head = `HTTP/1.1 ${status} ${line(echoed)}\r\nx-echo: ${line(echoed)}\r\nwww-authenticate: Basic realm="${line(echoed)}"\r\n`;
    socket.write(`${head}content-type: text/plain\r\ncontent-length: ${body.length}\r\n\r\n`);
    socket.write(body);
  }),
  (socket, echoed) =>
    void socket.write(
      `HTTP/1.1 302 ${line(echoed)}\r\nlocation: /${line(echoed)}\r\ncontent-length: 0\r\n\r\n`,
    ),
  (socket, echoed) =>
    void socket.write(
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(echoed) + 1}\r\n\r\n!${echoed}`,
    ),
  (socket, echoed) =>
    void socket.write(
      `HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: ${Buffer.byteLength(echoed)}\r\n\r\n${echoed}`,
    ),
  (socket, echoed) =>
    void socket.end(
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 999999\r\n\r\n${echoed}`,
    ),
  (socket, echoed) => void socket.end(`${echoed} is not HTTP\r\n\r\n`),
  (socket, echoed) => void socket.end(`HTTP/1.1 200 OK\r\n${line(echoed)} no colon\r\n\r\n`),
  (socket) => void socket.resetAndDestroy(),
];

/** Inspection with hidden properties shows these names of itself, and fast-check likes to make them. */
const inherited = Object.getOwnPropertyNames(Object.prototype);

/** The unit `binary` takes a second to make. */
const character = fc.nat({ max: maxCharacter }).map(anyCharacter);

const key = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 16, maxLength: 60 }),
    fc.stringMatching(/^[\w+/=-]{16,64}$/),
    fc.string({ unit: character, minLength: 16, maxLength: 40 }),
    fc.string({ minLength: 500, maxLength: 600 }),
  )
  .filter(
    (text) =>
      !/[:\p{Cc}\p{Cs}]/u.test(text) &&
      text.trim().length > 15 &&
      !inherited.some((name) => name.includes(text.trim())),
  );

const scenario = fc.record({
  key,
  echo: fc.nat({ max: echoes.length - 1 }),
  response: fc.nat({ max: responses.length - 1 }),
});

test(`${calls} failing calls against services that echo the key show it nowhere`, {
  timeout: inFull ? 600_000 : 120_000,
}, async () => {
  await using server = await startRawServer((socket, request) => {
    const header = /authorization: (.*)\r\n/i.exec(request)?.[1] ?? '';
    const echoed = Buffer.from(header.slice(6), 'base64').toString().slice(0, -1);
    const [, response = '', echo = ''] = /PATCH \/v2\/orders\/(\d+)-(\d+)/.exec(request) ?? [];
    responses[Number(response)]?.(socket, echoes[Number(echo)]?.({ key: echoed, header }) ?? '');
  });
  const events: OrdersRequestTrace[] = [];
  const onEvent = (event: object): void => void events.push({ ...event } as OrdersRequestTrace);
  const handlers = { start: onEvent, end: onEvent, asyncStart: onEvent, asyncEnd: onEvent, error: onEvent };
  const channel = tracingChannel<unknown, object>('orders.request');
  channel.subscribe(handlers);
  let failed = 0;

  async function call({
    key,
    echo,
    response,
  }: {
    key: string;
    echo: number;
    response: number;
  }): Promise<void> {
    const orders = createOrdersClient({ baseUrl: server.url, apiKey: key, retry: { maxAttempts: 1 } });
    const token = `${response}-${echo}`;
    const error = await orders.updateOrder(token, { cart: {} }).catch((reason: unknown) => reason);
    if (!(error instanceof OrdersError)) throw new Error('The call did not fail as it should.');
    failed++;
    const printed = [
      ...print(error),
      JSON.stringify(error.code === 'http_error' ? error.data : undefined),
      ...print(orders),
      orders.prepareUpdateOrder(token, { cart: {} }).toCurl(),
    ].join('\n');
    expectNoKey(printed, key);
    await orders.close();
  }

  try {
    await fc.assert(
      fc.asyncProperty(fc.array(scenario, { minLength: batch, maxLength: batch }), async (scenarios) => {
        await Promise.all(scenarios.map(call));
        const printed = inspect(events.splice(0), everything);
        for (const { key } of scenarios) expectNoKey(printed, key);
      }),
      { numRuns: calls / batch, endOnFailure: true },
    );
  } finally {
    channel.unsubscribe(handlers);
  }
  expect(failed).toBe(calls);
});

const everything = {
  depth: Number.POSITIVE_INFINITY,
  showHidden: true,
  getters: true,
  maxStringLength: null,
  maxArrayLength: null,
};

function print(value: object): string[] {
  const own =
    value instanceof Error
      ? [value.message, value.stack ?? '', String(value.cause), inspect(value.cause, everything)]
      : [];
  const receipt = 'receipt' in value ? [String(value.receipt), JSON.stringify(value.receipt)] : [];
  return [
    inspect(value, everything),
    inspect(value),
    JSON.stringify(value),
    String(value),
    ...own,
    ...receipt,
  ];
}

function expectNoKey(printed: string, key: string): void {
  const bytes = Buffer.from(`${key}:`);
  const encodings = [
    ...[key, key.trim()].flatMap((text) => [
      text,
      JSON.stringify(text).slice(1, -1),
      encodeURIComponent(text),
    ]),
    inspect(key).slice(1, -1),
    bytes.toString('base64').replace(/=+$/, ''),
  ];
  encodings.push(
    Buffer.from(key).toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('latin1').slice(0, -1),
  );
  for (const encoding of encodings)
    if (printed.includes(encoding)) throw new Error(`The key ${inspect(key)} shows as ${encoding}`);
}
