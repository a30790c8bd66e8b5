import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { documentedExample, type OrderService, startOrderService } from '@orders/testing';
import { type Case, check, checkSame } from './case.ts';
import type { HttpPeer, PeerAnswer, PeerRequest } from './http-peers/http-peer.ts';

/** HTTP Basic takes it; what encodes it in another way than RFC 7617 is found out. */
export const apiKey = 'interop+/=%40#?é';
export const otherKey = 'of-another-type';
const plain = 'ord_1';
const special = 'a/b?c#d%2f';
/** More than the service takes by default. */
const tooLarge = { cart: {}, note: 'x'.repeat(2_097_152) };
/** Bytes, characters and UTF-16 units differ in number. */
export const update = { ...documentedExample(), order_id: 'Ærlig–🧡' };
const invalid = { cart: { items: [{ quantity: '2' }] }, purchase_currency: 'nok' };

type Wanted = Pick<PeerRequest, 'method' | 'target'> & Partial<PeerRequest>;

/** A peer and a fresh service for it to call. */
interface Meeting {
  readonly service: OrderService;
  readonly send: (wanted: Wanted) => Promise<PeerAnswer>;
  readonly sendAll: (wanted: readonly Wanted[]) => Promise<readonly PeerAnswer[]>;
}

interface Row {
  readonly name: string;
  readonly method: PeerRequest['method'];
  readonly run: (meeting: Meeting) => Promise<string>;
}

/** What every HTTP client must be able to do with our order service. */
export function serviceCasesOf(peer: HttpPeer): readonly Case[] {
  return rows.map((row): Case => {
    const skipped = peer.cannot[row.method];
    if (skipped !== undefined) return { peer: peer.name, name: row.name, skipped };
    return { peer: peer.name, name: row.name, run: () => meet(peer, row) };
  });
}

async function meet(peer: HttpPeer, row: Row): Promise<string> {
  await using service = await startService();
  const complete = (wanted: Wanted): PeerRequest => ({ baseUrl: service.url, apiKey, ...wanted });
  const sendAll: Meeting['sendAll'] = (wanted) => peer.send(wanted.map(complete));
  const send: Meeting['send'] = async (wanted) => {
    const [answer] = await sendAll([wanted]);
    check(answer !== undefined, 'no answer');
    return answer;
  };
  // Not without `await`: the service would be closed first.
  return await row.run({ service, send, sendAll });
}

/** A service with two keys and two orders, one of them with a token that a path must encode. */
export function startService(): Promise<OrderService> {
  return startOrderService({
    keys: [{ key: apiKey }, { key: otherKey, type: 'AnotherApiKey' }],
    orders: [plain, special],
  });
}

/** The last request that arrived was this body, byte for byte, and it was applied once. */
export function checkApplied(service: OrderService, body: object): string {
  const text = JSON.stringify(body);
  const arrived = service.journal.at(-1);
  checkSame('body on the wire', arrived?.body.toString('utf8'), text);
  check(arrived?.body.equals(Buffer.from(text)) === true, 'the bytes differ');
  check(service.ledger.length === 1, `${service.ledger.length} updates in the ledger`);
  checkSame('body in the ledger', service.ledger[0]?.body, body);
  return `200, ${arrived.body.length} bytes in the ledger as sent`;
}

export function checkRefused(answer: PeerAnswer, status: number, code: string): string {
  check(answer.status === status, `${answer.status} instead of ${status}: ${answer.body}`);
  const { error } = JSON.parse(answer.body);
  checkSame('code', error.code, code);
  return `${status} ${code}`;
}

const echo = { method: 'GET', target: 'echo' } as const;
const toPlain = { method: 'PATCH', target: { token: plain } } as const;

const rows: readonly Row[] = [
  {
    name: 'a valid update is applied, byte for byte',
    method: 'PATCH',
    async run({ service, send }) {
      const { status, body } = await send({ ...toPlain, body: update });
      checkSame('status', status, 200);
      checkSame('revision', JSON.parse(body).revision, 1);
      return checkApplied(service, update);
    },
  },
  {
    name: 'a token with special characters reaches its order',
    method: 'PATCH',
    async run({ service, send }) {
      const { status } = await send({ method: 'PATCH', target: { token: special }, body: update });
      checkSame('status', status, 200);
      checkSame('token', service.ledger[0]?.token, special);
      return `200, arrived as ${service.journal[0]?.path}`;
    },
  },
  {
    name: 'an invalid update is refused with its issues',
    method: 'PATCH',
    async run({ service, send }) {
      const answer = await send({ ...toPlain, body: invalid });
      const seen = checkRefused(answer, 422, 'body_refused');
      const paths = JSON.parse(answer.body).error.issues.map((issue: { path: string }) => issue.path);
      checkSame('paths', paths.sort(), ['cart.items[0].quantity', 'purchase_currency']);
      checkSame('ledger', service.ledger, []);
      return `${seen}: ${paths.join(', ')}`;
    },
  },
  {
    name: 'a wrong key is refused',
    method: 'PATCH',
    async run({ service, send }) {
      const answer = await send({ ...toPlain, body: update, apiKey: 'wrong' });
      check(/^Basic /.test(answer.headers['www-authenticate'] ?? ''), 'no www-authenticate');
      checkSame('ledger', service.ledger, []);
      return checkRefused(answer, 401, 'key_unknown');
    },
  },
  {
    name: 'a key of another type is refused',
    method: 'PATCH',
    run: async ({ send }) =>
      checkRefused(await send({ ...toPlain, body: update, apiKey: otherKey }), 403, 'key_type_not_allowed'),
  },
  {
    name: 'an unknown token is refused',
    method: 'PATCH',
    run: async ({ send }) =>
      checkRefused(
        await send({ ...toPlain, target: { token: 'ord_2' }, body: update }),
        404,
        'order_not_found',
      ),
  },
  {
    name: 'a body of 2 MB is refused with an answer, not a reset',
    method: 'PATCH',
    run: async ({ send }) => checkRefused(await send({ ...toPlain, body: tooLarge }), 413, 'body_too_large'),
  },
  {
    name: 'the echo answers',
    method: 'GET',
    async run({ send }) {
      const { status, body } = await send(echo);
      checkSame('status', status, 200);
      checkSame('body', JSON.parse(body), { authenticated: true, key_type: 'SalesChannelApiKey' });
      return `200 ${body}`;
    },
  },
  {
    name: 'HEAD of the echo answers with the same head and no body',
    method: 'HEAD',
    async run({ send }) {
      const { status, headers, body } = await send({ ...echo, method: 'HEAD' });
      const full = await send(echo);
      checkSame('status', status, 200);
      checkSame('body', body, '');
      for (const name of ['content-type', 'content-length'])
        checkSame(name, headers[name], full.headers[name]);
      return `200, content-length ${headers['content-length']}`;
    },
  },
  {
    name: 'OPTIONS tells what is allowed',
    method: 'OPTIONS',
    async run({ send }) {
      const { status, headers, body } = await send({ ...echo, method: 'OPTIONS' });
      checkSame('status and body', [status, body], [204, '']);
      checkSame('allow', headers['allow'], 'GET, HEAD, OPTIONS');
      return `${status}, allow: ${headers['allow']}`;
    },
  },
  {
    name: 'another method is refused and told what is allowed',
    method: 'PUT',
    async run({ service, send }) {
      const answer = await send({ ...toPlain, method: 'PUT', body: update });
      checkSame('allow', answer.headers['allow'], 'PATCH, OPTIONS');
      checkSame('ledger', service.ledger, []);
      return `${checkRefused(answer, 405, 'method_not_allowed')}, allow: ${answer.headers['allow']}`;
    },
  },
  {
    name: 'a peer that would take gzip reads the answer',
    method: 'GET',
    async run({ service, send }) {
      const { status, body } = await send({ ...echo, headers: { 'accept-encoding': 'gzip' } });
      checkSame('status', status, 200);
      checkSame('authenticated', JSON.parse(body).authenticated, true);
      checkSame('accept-encoding', service.journal[0]?.headers['accept-encoding'], 'gzip');
      return '200, readable';
    },
  },
  {
    name: 'a kept connection is used again, after a refusal too',
    method: 'PATCH',
    async run({ service, sendAll }) {
      const requests = [echo, { ...toPlain, body: invalid }, { ...toPlain, body: update }];
      const { sockets, answers } = await countSockets(service, () => sendAll([...requests, ...requests]));
      checkSame(
        'statuses',
        answers.map(({ status }) => status),
        [200, 422, 200, 200, 422, 200],
      );
      // Node's `fetch` may open a second one before it has put the first one back.
      check(sockets <= 2, `${answers.length} requests over ${sockets} connections`);
      return `${answers.length} requests over ${sockets} connection(s)`;
    },
  },
];

/** Counts the connections that requests to a service come by, as its own Node tells. */
async function countSockets<Answers>({ url }: Pick<OrderService, 'url'>, send: () => Promise<Answers>) {
  const port = Number(new URL(url).port);
  const sockets = new Set<Socket>();
  const listen = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    if (socket.localPort === port) sockets.add(socket);
  };
  subscribe('http.server.request.start', listen);
  try {
    return { answers: await send(), sockets: sockets.size };
  } finally {
    unsubscribe('http.server.request.start', listen);
  }
}
