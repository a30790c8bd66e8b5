import { expect, test } from 'vitest';
import { failedBeforeSend, getCause } from './fetch-transport.ts';

const named = (fields: object, message = 'why'): Error => Object.assign(new Error(message), fields);
const failed = (cause: unknown): TypeError => new TypeError('fetch failed', { cause });
const refused = named({ code: 'ECONNREFUSED', syscall: 'connect' });

// Each as the runtime was seen to fail.
test.each<[string, unknown]>([
  ['Node, refused', failed(refused)],
  ['Node, no such host', failed(named({ code: 'ENOTFOUND', syscall: 'getaddrinfo' }))],
  ['Node, name server away', failed(named({ code: 'EAI_AGAIN', syscall: 'getaddrinfo' }))],
  ['Node, no route', failed(named({ code: 'EHOSTUNREACH', syscall: 'connect' }))],
  ['Node, connect timeout', failed(named({ code: 'UND_ERR_CONNECT_TIMEOUT' }))],
  ['Node, self-signed', failed(named({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }))],
  ['Node, unknown authority', failed(named({ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }))],
  ['Node, expired', failed(named({ code: 'CERT_HAS_EXPIRED' }))],
  ['Node, another host', failed(named({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' }))],
  [
    'Node, a host of two addresses',
    failed(Object.assign(new AggregateError([refused, refused]), { code: 'ECONNREFUSED' })),
  ],
  [
    'Bun, refused',
    Object.assign(new TypeError('ECONNREFUSED: Unable to connect.'), { code: 'ECONNREFUSED' }),
  ],
  ['Bun, no such host', Object.assign(new TypeError('x'), { code: 'ENOTFOUND', syscall: 'getaddrinfo' })],
])('nothing left: %s', (_name, failure) => {
  expect(failedBeforeSend(failure)).toBe(true);
});

test.each<[string, unknown]>([
  ['Node, reset', failed(named({ code: 'ECONNRESET', syscall: 'read' }))],
  ['Node, broken pipe', failed(named({ code: 'EPIPE', syscall: 'write' }))],
  ['Node, no route any more', failed(named({ code: 'EHOSTUNREACH', syscall: 'read' }))],
  ['Node, closed', failed(named({ code: 'UND_ERR_SOCKET' }))],
  ['Node, not HTTP', failed(named({ name: 'HTTPParserError' }))],
  ['Node, 407', failed(new Error(''))],
  [
    'Node, two addresses, one reached',
    failed(new AggregateError([refused, named({ code: 'ECONNRESET', syscall: 'read' })])),
  ],
  ['no addresses', failed(new AggregateError([]))],
  ['Bun, reset', Object.assign(new TypeError('x'), { code: 'ECONNRESET' })],
  ['Bun before 1.4, refused', Object.assign(new TypeError('x'), { code: 'ConnectionRefused' })],
  ['Deno, refused', failed(new Error('client error (Connect): tcp connect error: Connection refused'))],
  [
    'Deno, reset',
    failed(new Error('client error (SendRequest): connection closed before message completed')),
  ],
  ['workerd', named({ retryable: true, remote: true }, 'Network connection lost.')],
  ['a browser', new TypeError('Failed to fetch')],
  ['an abort', new DOMException('aborted', 'AbortError')],
  ['a message alone', new Error('ECONNREFUSED')],
  ['a cause of a cause', failed(failed(refused))],
  ['a string', 'ECONNREFUSED'],
  ['nothing', undefined],
])('no proof that nothing left: %s', (_name, failure) => {
  expect(failedBeforeSend(failure)).toBe(false);
});

test('the cause is the one that says why, without the path', () => {
  const path = '/v2/orders/secret_token';
  const failure = failed(named({ code: 'E_X' }, `error sending request for url (https://x.example${path})`));
  expect(getCause(failure, path)).toMatchObject({
    code: 'E_X',
    message: 'error sending request for url (https://x.example/…)',
  });
  expect(getCause(failed(new Error('')), path)?.message).toBe('fetch failed');
});
