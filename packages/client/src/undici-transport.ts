import type { Dispatcher } from 'undici';
import type { ConnectingSockets } from './connecting-sockets.ts';
import type {
  Answer,
  AnswerHeaders,
  Exchange,
  ExchangeLimits,
  Failure,
  Progress,
  Transport,
} from './exchange.ts';

/** Sends over an undici dispatcher, which tells exactly when the first byte leaves. */
export function undiciTransport(dispatcher: Dispatcher, connecting?: ConnectingSockets): Transport {
  return (request, limits) =>
    new Promise((resolve) => {
      const { method, origin, path, headers, authorization, body = null } = request;
      const exchange = new PendingExchange(limits, resolve, connecting);
      dispatcher.dispatch(
        {
          method,
          origin,
          path,
          body,
          headers: { ...headers, authorization: authorization.reveal() },
          // One timer bounds the whole attempt, so that its precision does not depend on the parser's.
          headersTimeout: 0,
          bodyTimeout: 0,
        },
        exchange,
      );
    });
}

type Controller = Dispatcher.DispatchController;

class PendingExchange implements Dispatcher.DispatchHandler {
  readonly #limits: ExchangeLimits;
  readonly #resolve: (exchange: Exchange) => void;
  readonly #connecting: ConnectingSockets | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #onAbort = () => this.#fail('aborted', this.#limits.signal?.reason);
  #controller: Controller | undefined;
  #progress: Progress = 'connecting';
  #settled = false;
  #status = 0;
  #headers: AnswerHeaders = {};
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(
    limits: ExchangeLimits,
    resolve: (exchange: Exchange) => void,
    connecting: ConnectingSockets | undefined,
  ) {
    this.#limits = limits;
    this.#resolve = resolve;
    this.#connecting = connecting;
    connecting?.enter();
    this.#timer = setTimeout(() => this.#fail('timeout', undefined), limits.timeoutMs);
    limits.signal?.addEventListener('abort', this.#onAbort);
  }

  /** Called when the connection stands, just before the first byte is written: what aborts here leaves nothing. */
  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#settled) controller.abort(new Error('The call ended before the request was sent.'));
    else {
      if (this.#progress === 'connecting') this.#connecting?.leave();
      this.#progress = 'sent';
    }
  }

  onResponseStart(_controller: Controller, status: number, headers: AnswerHeaders): void {
    if (status < 200) return;
    this.#progress = 'answering';
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    this.#bytes += chunk.byteLength;
    this.#chunks.push(chunk);
    if (this.#bytes > this.#limits.maxResponseBytes) this.#fail('too_large', undefined);
  }

  onResponseEnd(): void {
    this.#settle({ type: 'answer', ...this.#answered() });
  }

  onResponseError(_controller: Controller | null, error: Error): void {
    const late = 'code' in error && error.code === 'UND_ERR_CONNECT_TIMEOUT';
    this.#fail(late ? 'timeout' : 'connection', error);
  }

  #fail(reason: Failure['reason'], cause: unknown): void {
    if (this.#settled) return;
    const head = this.#progress === 'answering' ? this.#answered() : undefined;
    this.#settle({ type: 'failure', reason, progress: this.#progress, head, cause });
    if (this.#progress !== 'sent') this.#end();
    // Node spins for ever when an HTTP/2 stream ends before its body has left, which takes a turn.
    else setImmediate(() => this.#end());
  }

  #end(): void {
    this.#controller?.abort(new Error('The call has ended.'));
  }

  #answered(): Omit<Answer, 'type'> {
    const [only] = this.#chunks;
    const body = only && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks);
    const text = body.toString();
    return {
      status: this.#status,
      headers: this.#headers,
      text: text.startsWith('\ufeff') ? text.slice(1) : text,
    };
  }

  #settle(exchange: Exchange): void {
    if (this.#settled) return;
    this.#settled = true;
    if (this.#progress === 'connecting') this.#connecting?.leave();
    clearTimeout(this.#timer);
    this.#limits.signal?.removeEventListener('abort', this.#onAbort);
    this.#resolve(exchange);
  }
}
