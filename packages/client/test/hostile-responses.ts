import type { Socket } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';

/** A response as a broken service, a proxy or an attacker may send it. */
export interface HostileResponse {
  /** What comes before it, such as `HTTP/1.1 103 Early Hints`. */
  readonly interim: string;
  readonly version: string;
  readonly status: string;
  readonly mediaType: string | undefined;
  /** Lines of the head, as they are sent. */
  readonly lines: readonly string[];
  /** What the body is encoded with. */
  readonly encodings: readonly string[];
  /** What the head says about it: the truth, one header for each encoding, or a lie. */
  readonly declared: 'truly' | 'line by line' | 'not at all' | readonly string[];
  readonly body: keyof typeof bodies;
  readonly framing: keyof typeof framings;
  /** How many bytes are written at a time. */
  readonly sliceBytes: number;
  /** The part of its bytes that is sent. */
  readonly share: number;
  readonly ending: 'stay' | 'end' | 'reset' | 'more';
  /** Whether the service applied the update, where the response does not prove it. */
  readonly isApplied: boolean;
}

const json = '{"id":"order_1234","note":"\\u00e9\u00e9"}';
const key = 'swordfish-swordfish';

const bodies = {
  json,
  none: '',
  'no JSON': '{"id":',
  'byte order mark': `\ufeff${json}`,
  'no UTF-8': Buffer.from([0x22, 0xff, 0xfe, 0xc3, 0x22]),
  html: `<!doctype html><title>503</title>${'<p>Sorry</p>'.repeat(20)}`,
  deep: '['.repeat(20_000),
  large: JSON.stringify('x'.repeat(70_000)),
  'too large': `"${'x'.repeat(1_100_000)}"`,
  proto: '{"__proto__":{"polluted":true},"constructor":1}',
  key: JSON.stringify({ key, basic: btoa(`${key}:`) }),
} as const;

const chunk = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
const chunks = (body: Buffer, size: number): Buffer => {
  const all: Buffer[] = [];
  for (let at = 0; at < body.length; at += size) all.push(chunk(body.subarray(at, at + size)));
  return Buffer.concat(all);
};
const chunked = 'transfer-encoding: chunked';
const last = Buffer.from('0\r\n\r\n');

/** How the end of a body is marked: lines of the head, and the body on the wire. */
const framings = {
  length: (body: Buffer) => [[`content-length: ${body.length}`], body],
  chunks: (body: Buffer) => [[chunked], Buffer.concat([chunks(body, 1_000), last])],
  'chunks of a byte': (body: Buffer) => [
    [chunked],
    Buffer.concat([chunks(body.subarray(0, 2_000), 1), last]),
  ],
  close: (body: Buffer) => [[], body],
  'too long a length': (body: Buffer) => [[`content-length: ${body.length + 10}`], body],
  'too short a length': (body: Buffer) => [[`content-length: ${Math.floor(body.length / 2)}`], body],
  'no length': (body: Buffer) => [['content-length: many'], body],
  'negative length': (body: Buffer) => [['content-length: -1'], body],
  'huge length': (body: Buffer) => [['content-length: 99999999999999999999'], body],
  'two lengths': (body: Buffer) => [[`content-length: ${body.length}`, 'content-length: 1'], body],
  'length and chunks': (body: Buffer) => [[`content-length: ${body.length}`, chunked], chunks(body, 9_000)],
  'bad chunk': (body: Buffer) => [[chunked], Buffer.concat([chunks(body, 500), Buffer.from('zz\r\n')])],
  'huge chunk': (body: Buffer) => [[chunked], Buffer.concat([Buffer.from('ffffffffffffffff\r\n'), body])],
  'chunks without end': (body: Buffer) => [[chunked], chunks(body, 100)],
  extensions: (body: Buffer) => [
    [chunked],
    Buffer.concat([Buffer.from(`${body.length.toString(16)};a="b"\r\n`), body, Buffer.from('\r\n'), last]),
  ],
  trailers: (body: Buffer) => [
    [chunked, 'trailer: x-checksum'],
    Buffer.concat([chunks(body, 700), Buffer.from('0\r\nx-checksum: 1\r\ncontent-length: 3\r\n\r\n')]),
  ],
  'other coding': (body: Buffer) => [
    ['transfer-encoding: gzip, chunked'],
    Buffer.concat([chunks(body, 99), last]),
  ],
} as const satisfies Record<string, (body: Buffer) => readonly [readonly string[], Buffer]>;

const encoders: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  gzip: gzipSync,
  'x-gzip': gzipSync,
  deflate: deflateSync,
  'deflate ': deflateRawSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
};

const usually = <Value>(usual: Value, ...others: readonly fc.Arbitrary<Value>[]) =>
  fc.oneof(
    { weight: 14 * others.length, arbitrary: fc.constant(usual) },
    ...others.map((arbitrary) => ({ weight: 1, arbitrary })),
  );

const someOf = (...texts: readonly string[]) => fc.constantFrom(...texts);
const listOf = (text: string) =>
  fc.integer({ min: 1, max: 12 }).map((count) => Array(count).fill(text) as string[]);
const encodingLists = fc.oneof(
  fc.array(fc.constantFrom(...Object.keys(encoders)), { minLength: 1, maxLength: 3 }),
  listOf('gzip'),
  fc.array(fc.constantFrom(...Object.keys(encoders)), { minLength: 4, maxLength: 9 }),
);

const lines = someOf(
  'connection: close',
  'connection: upgrade\r\nupgrade: h2c',
  'keep-alive: timeout=1',
  'keep-alive: timeout=999999999999',
  'location: http://127.0.0.1:1/elsewhere',
  'location: \u0000//',
  'retry-after: 1e999',
  'retry-after: Wed, 21 Oct 9999 07:28:00 GMT',
  'www-authenticate: Basic realm="\xe9"',
  'proxy-authenticate: Negotiate',
  'content-range: bytes 0-1/2',
  'set-cookie: a=b\r\nset-cookie: c=d',
  `set-cookie: ${'c'.repeat(9_000)}`,
  `x-long: ${'l'.repeat(20_000)}`,
  Array.from({ length: 300 }, (_, index) => `x-${index}: ${index}`).join('\r\n'),
  Array.from({ length: 3_000 }, (_, index) => `x-${index}: ${index}`).join('\r\n'),
  'x-folded: a\r\n b',
  'x-no-colon',
  ': no name',
  'x-latin1: \xff\xfe',
  'x-nul: a\u0000b',
  'x space: 1',
  '__proto__: polluted',
  'constructor: polluted',
  'x-request-id: \u001b[2J',
  'alt-svc: h3=":443"',
  'clear-site-data: "*"',
  'sourcemap: /x',
  'date: yesterday',
);

const interim = someOf(
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 102 Processing\r\n\r\n',
  'HTTP/1.1 103 Early Hints\r\nlink: </x>; rel=preload\r\n\r\n',
  'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(200),
  'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n',
  'HTTP/1.1 199 Odd\r\ncontent-length: 5\r\n\r\n',
  'HTTP/1.1 100 Continue\r\ncontent-encoding: gzip\r\n\r\n',
  '\r\n\r\n',
  '220 mail.example ESMTP\r\n',
  '\u0000\u0001\u0002',
);

const statuses = [
  200, 200, 200, 200, 201, 202, 203, 204, 205, 206, 226, 299, 300, 301, 302, 303, 304, 305, 307, 308, 400,
  401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 414, 417, 418, 421, 422, 423, 425, 426,
  428, 429, 431, 451, 499, 500, 501, 502, 503, 504, 507, 508, 511, 520, 599, 600, 799, 999,
];

const hostileResponses: fc.Arbitrary<HostileResponse> = fc.record({
  interim: usually('', interim),
  version: fc.oneof(
    { weight: 12, arbitrary: fc.constant('HTTP/1.1') },
    {
      weight: 1,
      arbitrary: someOf('HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'http/1.1', 'HTTP/1.1 ', 'ICY', 'RTSP/1.0'),
    },
  ),
  status: fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...statuses).map(String) },
    { weight: 1, arbitrary: someOf('000', '099', '100', '101', '20', '2000', '-200', '2 0', '', 'OK') },
  ),
  mediaType: usually<string | undefined>(
    'application/json',
    fc.constantFrom(
      undefined,
      'text/html',
      'application/xhtml+xml',
      'application/problem+json',
      'Application/JSON ; charset=utf-16',
      'application/json, text/html',
      'text/plain',
      '',
      ';',
    ),
  ),
  lines: usually<string[]>([], fc.array(lines, { minLength: 1, maxLength: 3 })),
  encodings: usually<string[]>([], encodingLists),
  declared: usually<HostileResponse['declared']>(
    'truly',
    fc.constantFrom('line by line' as const, 'not at all' as const),
    fc.oneof(encodingLists, fc.constantFrom(['identity'], ['compress'], ['GZIP', ''], [','], ['\xff'])),
  ),
  body: usually<HostileResponse['body']>(
    'json',
    fc.constantFrom(...(Object.keys(bodies) as HostileResponse['body'][])),
  ),
  framing: fc.oneof(
    fc.constantFrom('length' as const, 'chunks' as const, 'chunks of a byte' as const, 'close' as const),
    fc.constantFrom(...(Object.keys(framings) as HostileResponse['framing'][])),
  ),
  sliceBytes: usually(1 << 24, fc.constantFrom(1, 7, 1_000)),
  share: usually(1, fc.double({ min: 0, max: 1, noNaN: true })),
  ending: fc.constantFrom('stay', 'end', 'end', 'reset', 'more'),
  isApplied: fc.boolean(),
});

/** The same responses for the same seed, in any process. */
export function sampleResponses(seed: number, count: number): readonly HostileResponse[] {
  return fc.sample(hostileResponses, { seed, numRuns: count });
}

/** Whether every client must read it right: nothing about it is wrong. */
export function isOrdinary(response: HostileResponse): boolean {
  const { interim, version, status, lines, encodings, declared, body, framing, share, ending, mediaType } =
    response;
  return (
    // `fetch` keeps 407 and 421 to itself.
    /^\d{3}$/.test(status) &&
    !/^(407|421)$/.test(status) &&
    interim === '' &&
    version === 'HTTP/1.1' &&
    mediaType === 'application/json' &&
    lines.length === 0 &&
    encodings.length === 0 &&
    typeof declared === 'string' &&
    body === 'json' &&
    /^(length|chunks|chunks of a byte|close)$/.test(framing) &&
    share === 1 &&
    (ending === 'end' || (ending === 'stay' && framing !== 'close'))
  );
}

/**
 * Whether the service behind a response has applied the update: a 204 and a 2xx of its own say so, a 4xx that is no page
 * of a proxy says that it has not; anything else may stand for either.
 */
export function isUpdateApplied({ status, mediaType = '', body, isApplied }: HostileResponse): boolean {
  const isUntyped = /^;?$/.test(mediaType);
  // A 204 has no body, so its type says nothing.
  if (status === '204' || (/^2\d\d$/.test(status) && (isUntyped || /json/i.test(mediaType)))) return true;
  const mayBePage =
    /^(403|404|405|410)$/.test(status) &&
    (isUntyped ? body === 'html' : /^(text\/html|application\/xhtml)/.test(mediaType));
  if (/^4\d\d$/.test(status) && status !== '408' && !mayBePage) return false;
  return isApplied;
}

/** Whether it leaves the client waiting, so that only a timeout ends the attempt. */
export function mayStall(response: HostileResponse | undefined): boolean {
  return response?.ending === 'stay' && !isOrdinary(response);
}

/** Writes a response to a socket. */
export async function sendHostileResponse(socket: Socket, response: HostileResponse): Promise<void> {
  const bytes = toWire(response);
  const sent = bytes.subarray(0, Math.ceil(bytes.length * response.share));
  // A response of a million bytes, one by one, would take as many turns.
  const sliceBytes = Math.max(response.sliceBytes, Math.ceil(sent.length / 300));
  for (let at = 0; at < sent.length && socket.writable; at += sliceBytes) {
    socket.write(sent.subarray(at, at + sliceBytes));
    if (at + sliceBytes < sent.length) await new Promise(setImmediate);
  }
  if (response.ending === 'more') socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
  if (response.ending === 'reset') socket.write('', () => socket.resetAndDestroy());
  else if (response.ending !== 'stay') socket.end();
}

function toWire(response: HostileResponse): Buffer {
  const { interim, version, status, mediaType, lines, encodings, declared } = response;
  let body = Buffer.from(bodies[response.body] as string);
  for (const encoding of encodings) body = encoders[encoding]?.(body) as Buffer<ArrayBuffer>;
  const names = typeof declared === 'string' ? encodings.map((name) => name.trim()) : declared;
  const contentEncoding =
    declared === 'not at all' || names.length === 0
      ? []
      : declared === 'line by line'
        ? names.map((name) => `content-encoding: ${name}`)
        : [`content-encoding: ${names.join(', ')}`];
  const [framed, wire] = framings[response.framing](body);
  const head = [
    `${version} ${status} Whatever`,
    ...(mediaType === undefined ? [] : [`content-type: ${mediaType}`]),
    ...contentEncoding,
    ...framed,
    ...lines,
  ];
  return Buffer.concat([Buffer.from(`${interim}${head.join('\r\n')}\r\n\r\n`, 'latin1'), wire]);
}
