import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { openSocket } from '../../test/open-socket.ts';
import { rawUpdate, readToEnd } from '../../test/raw-update.ts';
import { basic, orderPath } from '../../test/send.ts';
import { type MockOrderService, startMockOrderService } from './mock-order-service.ts';

// Mistakes in the framing of a request, as HTTP clients that are written by hand make them.

const body = '{"cart":{},"order_id":"é"}';
const bytes = Buffer.byteLength(body);

/** An update as text; `lines` are the headers that frame its body. */
const update =
  (lines: readonly string[], text: string, start = ''): ((service: MockOrderService) => string) =>
  ({ key, token }) =>
    [
      start || `PATCH ${orderPath(token)} HTTP/1.1`,
      'host: x',
      `authorization: ${basic(`${key}:`)}`,
      'content-type: application/json',
      ...lines,
      '',
      text,
    ].join('\r\n');
const sized = (length: number | string, text = body) => update([`content-length: ${length}`], text);
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const chunked = 'transfer-encoding: chunked';

interface Framing {
  readonly name: string;
  readonly text: (service: MockOrderService) => string;
  /** The statuses that arrive. */
  readonly statuses: readonly number[];
  /** How many updates are applied. */
  readonly applied: number;
}
const applied = (name: string, text: Framing['text'], statuses = [200]): Framing => ({
  name,
  text,
  statuses,
  applied: statuses.filter((status) => status === 200).length,
});
const refused = (name: string, text: Framing['text'], status = 400): Framing => ({
  name,
  text,
  statuses: [status],
  applied: 0,
});

const table: readonly Framing[] = [
  refused('a length in characters, not bytes', sized([...body].length)),
  refused('a length that is one too short', sized(bytes - 1)),
  refused('a length of 0 before a body', sized(0)),
  refused('a valid update and stray bytes', sized(bytes, `${body}xx`)),
  refused('a valid update and a stray zero byte, as of a C string', sized(bytes, `${body}\0`)),
  refused('a valid update and a second body', sized(bytes, body + body)),
  refused('a body without a length', update([], body)),
  refused('a length that is one too long', sized(bytes + 1)),
  refused('a length far too long', sized(4_000)),
  refused('a negative length', sized(-1)),
  refused('a length with a sign', sized(`+${bytes}`)),
  refused('a length in hexadecimal', sized(`0x${bytes.toString(16)}`)),
  refused('a length with a fraction', sized(`${bytes}.0`)),
  refused('an empty length', sized('')),
  refused('two lengths that differ', update([`content-length: ${bytes}`, 'content-length: 4'], body)),
  refused('a length and chunks', update([`content-length: ${bytes}`, chunked], `${chunk(body)}0\r\n\r\n`)),
  refused('chunks and a length', update([chunked, `content-length: ${bytes}`], `${chunk(body)}0\r\n\r\n`)),
  refused('chunks without an end', update([chunked], chunk(body))),
  refused('a chunk whose size is too short', update([chunked], `4\r\n${body}\r\n0\r\n\r\n`)),
  refused('a chunk whose size is no number', update([chunked], `x\r\n${body}\r\n0\r\n\r\n`)),
  refused('a chunked body without chunks', update([chunked], body)),
  refused('an unknown encoding of the transfer', update(['transfer-encoding: lz4'], body)),
  refused('a method in lower case', ({ token, ...service }) =>
    update([`content-length: ${bytes}`], body, `patch ${orderPath(token)} HTTP/1.1`)({ token, ...service }),
  ),
  refused(
    'a target with a space',
    update([`content-length: ${bytes}`], body, 'PATCH /v2/orders/a b HTTP/1.1'),
  ),
  refused('no version', update([`content-length: ${bytes}`], body, 'PATCH /v2/orders/a'), 404),
  refused('HTTP/2 without an upgrade', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  refused('TLS', () => '\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03'),
  refused('a blank before a colon', update([`content-length : ${bytes}`], body)),
  refused('a header without a colon', update([`content-length: ${bytes}`, 'x'], body)),
  refused('lines that end in LF', (service) => sized(bytes)(service).replaceAll('\r\n', '\n')),
  refused('headers without an end', (service) => sized(bytes)(service).split('\r\n\r\n')[0] ?? ''),
  // Node gives a tunnel away, and would end it without a word.
  refused('a tunnel, as through a proxy', () => 'CONNECT x:443 HTTP/1.1\r\nhost: x:443\r\n\r\n'),
  refused('a tunnel, to the path of an order', update([], '', 'CONNECT /v2/orders/a HTTP/1.1')),
  refused('a tunnel, to the admin API', () => 'CONNECT /__admin HTTP/1.1\r\nhost: x\r\n\r\n'),
  refused('a tunnel with bytes for its other end', update([], body, 'CONNECT x:443 HTTP/1.1')),
  refused('a tunnel of HTTP/1.0', () => 'CONNECT x:443 HTTP/1.0\r\n\r\n'),
  refused(
    'an update and a tunnel at once',
    (service) => `${sized(bytes)(service)}CONNECT x:443 HTTP/1.1\r\nhost: x\r\n\r\n`,
  ),
  applied('the right length', sized(bytes)),
  applied('a line break after the body', sized(bytes, `${body}\r\n`)),
  applied('a line break before the request', (service) => `\r\n${sized(bytes)(service)}`),
  applied('chunks', update([chunked], `${chunk(body.slice(0, 5))}${chunk(body.slice(5))}0\r\n\r\n`)),
  applied('chunks with a trailer', update([chunked], `${chunk(body)}0\r\nx-sum: 1\r\n\r\n`)),
  applied(
    'an expectation of 100 Continue',
    update([`content-length: ${bytes}`, 'expect: 100-continue'], body),
    [100, 200],
  ),
  applied('an absolute target', ({ url, token, ...service }) =>
    update(
      [`content-length: ${bytes}`],
      body,
      `PATCH ${url}${orderPath(token)} HTTP/1.1`,
    )({ url, token, ...service }),
  ),
  applied('HTTP/1.0', ({ token, ...service }) =>
    update([`content-length: ${bytes}`], body, `PATCH ${orderPath(token)} HTTP/1.0`)({ token, ...service }),
  ),
  applied('two updates at once', (service) => sized(bytes)(service) + sized(bytes)(service), [200, 200]),
];

const statusesOf = (text: string): number[] =>
  [...text.matchAll(/HTTP\/1\.[01] (\d{3})/g)].map(([, status]) => Number(status));

test.each(table)('$name: the status and the ledger agree', async ({ text, statuses, applied }) => {
  await using service = await startMockOrderService();
  const socket = await openSocket(service);
  const ended = readToEnd(socket);
  socket.end(text(service));
  expect(statusesOf((await ended).text)).toEqual(statuses);
  expect(service.ledger).toHaveLength(applied);
  expect(service.appliedUpdates(service.token)).toEqual(
    Array.from({ length: applied }, () => JSON.parse(body)),
  );
});

test('what cannot be read gets its 400 while the client keeps its connection open, too', async () => {
  await using service = await startMockOrderService();
  for (const text of [sized(bytes, `${body}xx`), sized(bytes - 1), update([chunked], body)]) {
    const socket = await openSocket(service, text(service));
    const { text: received, end } = await readToEnd(socket);
    expect([statusesOf(received), end]).toEqual([[400], 'fin']);
  }
  expect(service.ledger).toHaveLength(0);
});

test('a tunnel that its client keeps open ends with the service', async () => {
  await using service = await startMockOrderService();
  const { hostname, port } = new URL(service.url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.write('CONNECT x:443 HTTP/1.1\r\nhost: x:443\r\n\r\n');
  const { text, end } = await readToEnd(socket);
  expect([statusesOf(text), end]).toEqual([[400], 'fin']);
  expect(text).toContain('CONNECT');
  await service.close();
  socket.destroy();
});

test('stray bytes behind an update that is applied: its own response first, then a 400', async () => {
  let release = () => {};
  const seen = new Promise<void>((resolve) => {
    release = resolve;
  });
  await using service = await startMockOrderService({ latencyMs: 20, onRequest: () => release() });
  const socket = await openSocket(service, rawUpdate(service));
  const ended = readToEnd(socket);
  await service.waitForRequests(1);
  expect(service.ledger).toHaveLength(1);
  socket.write('xx\r\n\r\n');
  await seen;
  expect(statusesOf((await ended).text)).toEqual([200, 400]);
  expect(service.ledger).toHaveLength(1);
});

test('the service serves on after each mistake', async () => {
  await using service = await startMockOrderService();
  for (const { text } of table) {
    const socket = await openSocket(service);
    const ended = readToEnd(socket);
    socket.end(text(service));
    await ended;
  }
  const before = service.ledger.length;
  const socket = await openSocket(service);
  const ended = readToEnd(socket);
  socket.end(rawUpdate(service));
  expect(statusesOf((await ended).text)).toEqual([200]);
  expect(service.ledger).toHaveLength(before + 1);
});
