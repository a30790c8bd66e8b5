import { createServer, type Server, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { OrderUpdate, OrderUpdateSchema } from '@orders/schema';
import { createWebhooks, type Webhooks } from '../webhooks/webhooks.ts';
import { answerMalformed } from './answer-malformed.ts';
import { createAnswers } from './choices.ts';
import { compiledOrderUpdate } from './compiled-order-update.ts';
import { createFaultSource, type FaultSource } from './faults/fault-script.ts';
import { createJournal, type Journal } from './journal.ts';
import { createKeyRing, type KeyRing } from './key-ring.ts';
import { createOrderBook, type OrderBook } from './order-book.ts';
import type { OrderServiceOptions } from './order-service-options.ts';
import { readWhole } from './read-whole.ts';
import { readRequestHead } from './request-head.ts';
import { isControl, serveControl } from './serve-control.ts';
import { type ServiceContext, serveRequest } from './serve-request.ts';

/** A service before anything leads to it: an HTTP server that does not listen, and what it knows. */
export interface ServiceCore<Update extends OrderUpdate> {
  readonly server: Server;
  readonly keys: KeyRing;
  readonly book: OrderBook<Update>;
  readonly journal: Journal;
  readonly faults: FaultSource;
  readonly webhooks: Webhooks;
  /** Puts everything back to how it began, but for connections. */
  reset(): void;
  /** Ends every wait. */
  stop(): void;
}

/** Throws a `TypeError` when an option cannot be used. */
export function createServiceCore<Update extends OrderUpdate>(
  options: OrderServiceOptions<Update>,
  restart: (downMs: number) => void,
): ServiceCore<Update> {
  const { now = Date.now, control = false, historyLimit = Number.POSITIVE_INFINITY } = options;
  if (historyLimit !== Number.POSITIVE_INFINITY) readWhole('historyLimit', historyLimit);
  const keys = createKeyRing(options.keys);
  const book = createOrderBook<Update>(options.orders ?? 3, historyLimit);
  const journal = createJournal(historyLimit);
  const faults = createFaultSource(options.faults ?? []);
  const answers = createAnswers<Update>(options.choices ?? {});
  const stopping = new AbortController();
  const webhooks = createWebhooks(
    { token: book.orders[0]?.token ?? '', find: book.show, now, signal: stopping.signal, historyLimit },
    options.webhooks,
  );
  let requestCount = 0;
  const nextRequestId = () => `req_${++requestCount}`;

  const settle = (work: Promise<void>, response: ServerResponse) => {
    work.catch((error: unknown) => {
      response.destroy();
      // What `onRequest` throws is the caller's to see; a closing service merely gives up its waits.
      if (!stopping.signal.aborted) throw error;
    });
  };
  const context: ServiceContext<Update> = {
    keys,
    book,
    journal,
    faults,
    answers,
    // With no schema given, `Update` is the plain `OrderUpdate`, which the compiler cannot see.
    schema: options.schema ?? (compiledOrderUpdate() as OrderUpdateSchema as OrderUpdateSchema<Update>),
    maxBodyBytes: readWhole('maxBodyBytes', options.maxBodyBytes ?? 1_048_576),
    latencyMs: readWhole('latencyMs', options.latencyMs ?? 0),
    now,
    nextRequestId,
    onRequest: options.onRequest,
    wait: (ms) => delay(ms, undefined, { signal: stopping.signal }),
    restart,
    settle,
  };
  const reset = () => {
    book.reset();
    journal.reset();
    faults.reset();
    webhooks.clear();
  };
  const sources = {
    faults: faults.script,
    get orders() {
      return book.orders;
    },
    get ledger() {
      return book.ledger;
    },
    journal: journal.entries,
    webhooks,
    reset,
  };

  const server = createServer((request, response) => {
    const head = readRequestHead(request);
    if (control && isControl(head.target))
      serveControl(request, response, { head, keys, answers, sources, settle });
    else serveRequest(request, response, { head, context });
  });
  server.on('clientError', (error, socket) => {
    answerMalformed(error, socket, { requestId: nextRequestId(), refused: answers.refused });
  });
  server.on('connection', (socket) => {
    if (faults.onAccept() !== undefined) socket.resetAndDestroy();
  });

  return {
    server,
    keys,
    book,
    journal,
    faults,
    webhooks,
    reset,
    stop() {
      stopping.abort();
      journal.close();
    },
  };
}
