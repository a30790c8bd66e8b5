import { isUtf8 } from 'node:buffer';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { OrderUpdate, OrderUpdateSchema } from '@orders/schema';
import { appliesUpdate, type Fault } from './fault.ts';
import type { FaultSource } from './fault-script.ts';
import { alterResponse, breakConnection, deliverResponse } from './inject.ts';
import type { Journal, JournalEntry, OpenEntry } from './journal.ts';
import { type AuthorizationFacts, type KeyRing, type KeyType, updatingKeyType } from './keys.ts';
import type { OrderBook } from './orders.ts';
import {
  acceptsJson,
  isJsonContentType,
  type ReceivedBody,
  type RequestHead,
  type RequestTarget,
  readBody,
  readRequestHead,
  readRequestTarget,
} from './request.ts';
import {
  bodyRefused,
  type PlainResponse,
  type Rejection,
  type Responder,
  respondJson,
  serviceFailed,
} from './responses.ts';

export interface ServeContext<Update extends OrderUpdate> {
  readonly keys: KeyRing;
  readonly book: OrderBook<Update>;
  readonly journal: Journal;
  readonly faults: FaultSource;
  readonly responder: Responder<Update>;
  readonly schema: OrderUpdateSchema<Update>;
  readonly maxBodyBytes: number;
  readonly latencyMs: number;
  readonly now: () => number;
  readonly nextRequestId: () => string;
  /** Calls `onRequest`; what that throws does not change the response. */
  readonly notify: (entry: JournalEntry) => void;
  /** Counts the resets of the service: a request that began before one does not belong to the new start. */
  readonly generation: () => number;
  /** Rejects when the service closes. */
  readonly wait: (ms: number) => Promise<void>;
  /** Ends every connection, this one included, and listens again after so many milliseconds. */
  readonly restart: (downMs: number) => void;
}

/** The responses to come of each socket, by requests that are decided: their updates may be applied. */
const toCome = new WeakMap<object, Set<ServerResponse>>();
/** The last request of each socket while it is not decided. */
const undecided = new WeakMap<object, OpenEntry>();
/** Sockets that a fault or broken framing has ended: a request that is not decided yet counts as cut off. */
const broken = new WeakSet<object>();

/** Takes one request from its connection to its response: read, decide, wait, send; a fault may end it at each step. */
export function serveRequest<Update extends OrderUpdate>(
  request: IncomingMessage,
  response: ServerResponse,
  context: ServeContext<Update>,
): void {
  const { socket } = request;
  const { journal, notify } = context;
  const generation = context.generation();
  const head = readRequestHead(request);
  const target = readRequestTarget(head.target);
  const entry = openEntry(head, target, { socket, context });
  journal.history.add(entry);
  undecided.set(socket, entry);

  if (entry.fault?.type === 'reset_before_body' || entry.fault?.type === 'reset_on_reuse') {
    journal.markReceived();
    broken.add(socket);
    socket.resetAndDestroy();
    notify(entry);
    return;
  }
  readBody(request, context.maxBodyBytes, (body) => {
    if (undecided.get(socket) === entry) undecided.delete(socket);
    if (generation !== context.generation()) return void socket.destroy();
    entry.body = body.bytes;
    const isCut = body.end === 'cut' || broken.has(socket);
    entry.complete = body.end === 'complete' && !isCut;
    const usual = isCut ? undefined : respond(body, { head, target, entry, context });
    journal.markReceived();
    if (usual === undefined) notify(entry);
    else if (entry.fault && breakConnection(entry.fault, socket, context.restart)) {
      if (entry.fault.type !== 'stalled_headers') broken.add(socket);
      notify(entry);
    } else {
      const responses = toCome.get(socket) ?? new Set();
      toCome.set(socket, responses.add(response));
      response.once('close', () => responses.delete(response));
      reply(response, usual, { entry, context, isEarly: body.end === 'too_large' });
    }
  });
}

function openEntry<Update extends OrderUpdate>(
  { method, target: path, headers, authorization }: RequestHead,
  target: RequestTarget,
  { socket, context }: { readonly socket: object; readonly context: ServeContext<Update> },
): OpenEntry {
  const requestId = context.nextRequestId();
  const resource = 'problem' in target ? undefined : target.resource;
  const operation = resource === 'order' ? 'update' : resource === 'echo' ? 'echo' : undefined;
  const token = 'token' in target ? target.token : undefined;
  return {
    requestId,
    at: context.now(),
    method,
    path,
    operation,
    token,
    headers,
    authorization: context.keys.identify(authorization),
    fault: context.faults.onRequest({ method, operation, token }, requestId, socket),
    body: Buffer.alloc(0),
    complete: false,
    status: undefined,
    respondedAt: undefined,
  };
}

interface Received<Update extends OrderUpdate> {
  readonly head: RequestHead;
  readonly target: RequestTarget;
  readonly entry: JournalEntry;
  readonly context: ServeContext<Update>;
}

/** Decides on the usual response, and applies an update that it accepts. */
function respond<Update extends OrderUpdate>(body: ReceivedBody, received: Received<Update>): PlainResponse {
  const { context } = received;
  try {
    const decision = decide(body, received);
    return 'code' in decision ? context.responder.rejected(decision) : decision;
  } catch (error) {
    return serviceFailed(error);
  }
}

function decide<Update extends OrderUpdate>(
  body: ReceivedBody,
  { head, target, entry, context }: Received<Update>,
): Rejection | PlainResponse {
  const { responder, book, maxBodyBytes } = context;
  const admission = admit(head, target, entry.authorization);
  if ('code' in admission) return admission;
  if ('allow' in admission) return respondJson(204, undefined, { allow: admission.allow });
  const order = 'token' in admission ? book.find(admission.token) : undefined;
  if ('token' in admission && order === undefined) return reject('order_not_found');
  if (body.end === 'too_large') {
    const message = `The body is larger than ${maxBodyBytes} bytes, the most that this service accepts.`;
    return { code: 'body_too_large', message };
  }
  if ('keyType' in admission) return responder.echoed(admission.keyType);

  const json = parseJson(body.bytes);
  if (order === undefined || json === undefined) return reject('body_not_json');
  const parsed = context.schema.safeParse(json.value);
  if (!parsed.success) return bodyRefused(parsed.error);
  const { token, revision, data } = order;
  const next = { token, revision: revision + 1, data: responder.merge(data, parsed.data) };
  // Nothing is applied that the service could not respond to.
  const response = responder.updated(next);
  if (entry.fault === undefined || appliesUpdate(entry.fault))
    book.commit(next, { requestId: entry.requestId, at: context.now(), body: parsed.data });
  return response;
}

type Admission =
  | Rejection
  | { readonly allow: string }
  | { readonly keyType: KeyType }
  | { readonly token: string };

const methods = {
  order: ['PATCH', 'OPTIONS'],
  echo: ['GET', 'HEAD', 'OPTIONS'],
  server: ['OPTIONS'],
} as const;

/** Judges a request without its body, in the order: path, method, key, key type, Accept, Content-Type. */
function admit(head: RequestHead, target: RequestTarget, authorization: AuthorizationFacts): Admission {
  if (!head.hasHost) return reject('request_malformed');
  if ('problem' in target)
    return reject(target.problem === 'malformed' ? 'path_malformed' : 'path_not_found');
  const allowed: readonly string[] = methods[target.resource];
  const allow = allowed.join(', ');
  if (!allowed.includes(head.method))
    return { code: 'method_not_allowed', message: `This path accepts ${allow}.`, headers: { allow } };
  if (head.method === 'OPTIONS' || target.resource === 'server') return { allow };
  const { keyType } = authorization;
  if (keyType === undefined) return unauthorized(authorization);
  if (target.resource === 'order' && keyType !== updatingKeyType) return reject('key_type_not_allowed');
  const { accept, 'content-encoding': encoding = '', 'content-type': type } = head.headers;
  if (!acceptsJson(accept)) return reject('not_acceptable');
  if (target.resource === 'echo') return { keyType };
  const isPlain = ['', 'identity'].includes(encoding.trim().toLowerCase());
  return isPlain && isJsonContentType(type) ? { token: target.token } : reject('media_type_unsupported');
}

/** What to do instead, by the code of the rejection. */
const advice = {
  request_malformed: 'HTTP/1.1 needs a Host header.',
  path_malformed: 'The path is not percent-encoded UTF-8; encode the order token once, as one path segment.',
  path_not_found: 'No such path; there are PATCH /v2/orders/<order_token> and GET /v2/echo_with_private_key.',
  key_missing: 'Send Authorization: Basic <base64 of "<API_KEY>:">; there is no such header.',
  key_malformed: 'The Authorization header is not Basic <base64 of "<API_KEY>:"> with an empty password.',
  key_unknown: 'This service has no such key.',
  scheme_unsupported: 'Only the Basic scheme is supported here; send Basic <base64 of "<API_KEY>:">.',
  key_type_not_allowed: `Updating an order needs a key of type ${updatingKeyType}; this key is of another type.`,
  not_acceptable: 'The Accept header excludes application/json, and nothing else is served.',
  media_type_unsupported:
    'Send the body with Content-Type: application/json, in UTF-8 and without a Content-Encoding.',
  order_not_found:
    "No order has this token; the path takes the service's token, not the merchant's order_id.",
  body_not_json: 'The body is not JSON in UTF-8.',
} as const;

function reject(code: keyof typeof advice): Rejection {
  return { code, message: advice[code] };
}

function unauthorized({ problem = 'missing' }: AuthorizationFacts): Rejection {
  const code = problem === 'unsupported' ? 'scheme_unsupported' : (`key_${problem}` as const);
  return { ...reject(code), headers: { 'www-authenticate': 'Basic realm="orders", charset="UTF-8"' } };
}

function parseJson(bytes: Buffer): { value: unknown } | undefined {
  if (!isUtf8(bytes)) return undefined;
  try {
    return { value: JSON.parse(bytes.toString('utf8')) };
  } catch {
    return undefined;
  }
}

interface Reply<Update extends OrderUpdate> {
  readonly entry: OpenEntry;
  readonly context: ServeContext<Update>;
  /** Whether the sender may still be sending. */
  readonly isEarly: boolean;
}

function reply<Update extends OrderUpdate>(
  response: ServerResponse,
  usual: PlainResponse,
  { entry, context, isEarly }: Reply<Update>,
): void {
  const { latencyMs, responder, now, notify, wait } = context;
  const fault: Fault | undefined = entry.fault;
  const send = (): Promise<void> | undefined => {
    if (!response.req.socket.writable) throw new Error('The client has gone.');
    const altered = fault ? alterResponse(fault, usual, responder.rejected) : usual;
    const content = { ...altered, headers: { ...altered.headers, 'x-request-id': entry.requestId } };
    const leave = () => {
      entry.status = content.status;
      entry.respondedAt = now();
      notify(entry);
    };
    // A pipelined request waits for the response of the one before.
    if (response.socket) leave();
    else response.once('socket', leave);
    const deliver = isEarly && !response.req.readableEnded ? sendEarly : sendResponse;
    if (fault) return deliverResponse(fault, content, response, { send: deliver, wait });
    deliver(response, content);
    return undefined;
  };
  // Whatever fails here, be it that the service closes, ends this response alone.
  const fail = () => {
    response.destroy();
    if (entry.status === undefined) notify(entry);
  };
  const delayMs = latencyMs + (fault?.type === 'latency' ? fault.ms : 0);
  try {
    const sending = delayMs > 0 ? wait(delayMs).then(send) : send();
    sending?.catch(fail);
  } catch {
    fail();
  }
}

function sendResponse(response: ServerResponse, { status, headers, body }: PlainResponse): void {
  // Text of one byte a character is ASCII, which leaves faster when Node need not encode it.
  const encoding = Buffer.byteLength(body) === body.length ? 'latin1' : 'utf8';
  response.writeHead(status, headers).end(body, encoding);
}

/** Long enough for a sender to read the response, short enough to be rid of an endless upload. */
const earlyEndMs = 500;

/**
 * Responds to a sender that is still sending, then ends the connection: after the upload, but not much later. Closing a
 * socket with unread bytes makes the kernel reset it, and the reset can overtake the response.
 */
function sendEarly(response: ServerResponse, { status, headers, body }: PlainResponse): void {
  response.writeHead(status, { ...headers, connection: 'close' });
  response.write(body);
  const finish = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(finish, earlyEndMs);
  response.req.once('end', finish);
  response.once('close', finish);
}

/** A CONNECT, which a client sends that has this service as its proxy. */
export const tunnelRefused = new Error('This service is no proxy: send requests to it, not CONNECT.');

/**
 * Responds to what is not HTTP like to any other bad request, then closes the connection. A request that ends there is not
 * applied, as when its body is longer than its `Content-Length`; what was applied before gets its own response first.
 */
export function respondToMalformed(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  parts: Pick<ServeContext<OrderUpdate>, 'nextRequestId' | 'now'> & {
    readonly rejected: (rejection: Rejection) => PlainResponse;
  },
): void {
  broken.add(socket);
  const [next] = toCome.get(socket) ?? [];
  if (next) {
    next.once('close', () => respondToMalformed(error, socket, parts));
    return;
  }
  const { code } = error;
  const { nextRequestId, now, rejected } = parts;
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const overflow = code === 'HPE_HEADER_OVERFLOW' ? { status: 431 } : {};
  const timeout = code === 'ERR_HTTP_REQUEST_TIMEOUT' ? { status: 408 } : {};
  const message = error === tunnelRefused ? error.message : 'The request is not complete HTTP/1.1.';
  const { status, headers, body } = rejected({ code: 'request_malformed', message, ...overflow, ...timeout });
  const entry = undecided.get(socket);
  if (entry) Object.assign(entry, { status, respondedAt: now() });
  const requestId = entry?.requestId ?? nextRequestId();
  const all = Object.entries({ ...headers, 'x-request-id': requestId, connection: 'close' });
  const lines = all.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines}\r\n${body}`);
  // The server no longer knows it, so that nothing else would end it where the client does not.
  if (error === tunnelRefused) socket.once('finish', () => socket.destroy());
}
