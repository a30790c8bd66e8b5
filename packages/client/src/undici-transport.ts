import type { Dispatcher } from 'undici';
import { afterSockets } from './deadline.ts';
import type { ConnectingSockets } from './sockets.ts';
import { withTlsAdvice } from './tls-error.ts';
import {
  ResponseBody,
  type ResponseHead,
  type ResponseHeaders,
  readHead,
  type Transport,
  type TransportFailure,
  type TransportLimits,
  type TransportRequest,
  type TransportResult,
} from './transport.ts';

/** After this time without a request, the sockets are read before the next one. */
const quietMs = 50;

/** Sends over an undici dispatcher, which reports exactly when the first byte leaves. */
export function undiciTransport(dispatcher: Dispatcher, connecting?: ConnectingSockets): Transport {
  let lastUsedAt = Number.POSITIVE_INFINITY;
  return (request, limits) =>
    new Promise((resolve) => {
      const { method, origin, path, headers, body = null } = request;
      const pending = new PendingRequest(request, limits, resolve, connecting);
      // One timer bounds the whole attempt, so that its precision does not depend on the parser's.
      const options = { method, origin, path, body, headers, headersTimeout: 0, bodyTimeout: 0 };
      const send = (): void => {
        if (pending.settled) return;
        lastUsedAt = pending.startedAt;
        // A composed interceptor may throw, or be an async function that rejects.
        try {
          const dispatched: unknown = dispatcher.dispatch(options, pending);
          if (typeof dispatched === 'object')
            Promise.resolve(dispatched).catch((thrown) => pending.onResponseError(null, thrown));
        } catch (thrown) {
          pending.onResponseError(null, thrown);
        }
      };
      // After a pause or a long task, a connection that the service has closed is noticed before it is used.
      if (pending.startedAt - lastUsedAt > quietMs) setImmediate(send);
      else send();
    });
}

type Controller = Dispatcher.DispatchController;

class PendingRequest implements Dispatcher.DispatchHandler {
  readonly startedAt = performance.now();
  settled = false;
  readonly #beforeSend: TransportRequest['beforeSend'];
  readonly #limits: TransportLimits;
  readonly #resolve: (result: TransportResult) => void;
  readonly #connecting: ConnectingSockets | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #onAbort = () => this.#fail('aborted', this.#limits.deadline.reason);
  #controller: Controller | undefined;
  #sent = false;
  #head: ResponseHead | undefined;
  readonly #body = new ResponseBody();

  constructor(
    { beforeSend }: TransportRequest,
    limits: TransportLimits,
    resolve: (result: TransportResult) => void,
    connecting: ConnectingSockets | undefined,
  ) {
    this.#beforeSend = beforeSend;
    this.#limits = limits;
    this.#resolve = resolve;
    this.#connecting = connecting;
    connecting?.addWaiting();
    this.#timer = setTimeout(() => afterSockets(() => this.#fail('timeout', undefined)), limits.timeoutMs);
    limits.deadline.onAbort(this.#onAbort);
  }

  /** Called when the connection stands, right before the first byte is written: an abort here sends nothing. */
  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    let mayLeave = true;
    try {
      if (!this.settled) mayLeave = this.#beforeSend();
    } catch (thrown) {
      this.#fail('before_send', thrown);
    }
    if (!mayLeave) {
      this.#settle('held', undefined);
      // undici then drops the request; `abort` would close the connection, too.
      throw new Error('The request must wait for its slot at the rate limit.');
    }
    // After a pause of the process, the connection may be ready before the late timer has run.
    if (performance.now() - this.startedAt >= this.#limits.timeoutMs) this.#fail('timeout', undefined);
    // `#fail` can abort only what it has a controller of.
    if (this.settled)
      ignoreErrors(() => controller.abort(new Error('The call ended before the request was sent.')));
    else {
      if (!this.#sent) this.#connecting?.removeWaiting();
      this.#sent = true;
    }
  }

  onResponseStart(_controller: Controller, status: number, headers: ResponseHeaders): void {
    if (Number.isInteger(status) && status < 200) return;
    this.#read(() => {
      this.#head = readHead(status, headers);
    });
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    this.#read(() => {
      this.#body.add(ArrayBuffer.isView(chunk) ? chunk : Buffer.from(String(chunk)));
      if (this.#body.length > this.#limits.maxResponseBytes) this.#fail('too_large', undefined);
    });
  }

  onResponseEnd(): void {
    this.#settle(undefined, undefined);
  }

  onResponseError(_controller: Controller | null, error: unknown): void {
    const misuse = this.#sent ? undefined : findMisuse(error);
    if (misuse) this.#fail('misuse', misuse);
    else
      this.#fail(
        codeOf(error) === 'UND_ERR_CONNECT_TIMEOUT' ? 'timeout' : 'connection',
        withTlsAdvice(error),
      );
  }

  /** A dispatcher of the user may report anything at any time, even what throws when it is read. */
  #read(run: () => void): void {
    try {
      if (!this.settled) run();
    } catch (thrown) {
      this.#fail('connection', thrown);
    }
  }

  #fail(failure: TransportFailure, cause: unknown): void {
    if (this.settled) return;
    this.#settle(failure, cause);
    // Our own agent speaks HTTP/1.1: its connection is reset before the client's `close` could end it.
    if (this.#connecting || !this.#sent || this.#head) this.#abort();
    // Node spins endlessly when an HTTP/2 stream ends before its body has left, which it does in the next turn of the event loop.
    else setImmediate(() => this.#abort());
  }

  #abort(): void {
    const abort = (): void => this.#controller?.abort(new Error('The call has ended.'));
    ignoreErrors(() => (this.#connecting ? this.#connecting.abandon(abort) : abort()));
  }

  #settle(failure: TransportFailure | undefined, cause: unknown): void {
    if (this.settled) return;
    this.settled = true;
    if (!this.#sent) this.#connecting?.removeWaiting();
    clearTimeout(this.#timer);
    this.#limits.deadline.offAbort(this.#onAbort);
    const head = this.#head;
    const response = head && { ...head, ...this.#body.read() };
    this.#resolve({ failure, sent: this.#sent || response !== undefined, response, cause });
  }
}

/** A dispatcher of the user may have no working `abort`, and the call has ended. */
function ignoreErrors(abort: () => void): void {
  try {
    abort();
  } catch {}
}

/** Why a dispatcher failed that is of another version, closed or otherwise wrong, and stays so however often it is tried. */
function findMisuse(error: unknown): Error | undefined {
  const code = codeOf(error);
  const message = misuses.get(code);
  if (message !== undefined) return Object.assign(new Error(message), { code });
  try {
    return error instanceof TypeError ? error : undefined;
  } catch {
    // Anything can be thrown, even a value that throws when it is looked at.
    return undefined;
  }
}

const misuses: ReadonlyMap<string, string> = new Map([
  ['UND_ERR_INVALID_ARG', 'the dispatcher is of undici 6 or older. Pass an Agent of @orders/client/undici'],
  [
    'UND_ERR_NOT_SUPPORTED',
    'the dispatcher supports no such request. Pass an Agent of @orders/client/undici',
  ],
  ['UND_ERR_DESTROYED', 'the dispatcher was destroyed. Close it after the client'],
  ['UND_ERR_CLOSED', 'the dispatcher was closed. Close it after the client'],
  [
    'UND_MOCK_ERR_MOCK_NOT_MATCHED',
    'the MockAgent has no mock for this request. Intercept its path and method',
  ],
]);

/** Anything can be thrown, even a value that throws when it is read. */
function codeOf(error: unknown): string {
  try {
    return String(Object(error).code);
  } catch {
    return '';
  }
}
