import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { OrderUpdate, OrderUpdateSchema } from '@orders/schema';
import { type Admission, admitRequest } from './admit-request.ts';
import { type Answer, answerJson, answerRefusal } from './answer.ts';
import { applyUpdate } from './apply-update.ts';
import type { Journal, JournalEntry } from './journal.ts';
import type { KeyRing, KeyType } from './key-ring.ts';
import type { OrderBook } from './order-book.ts';
import { type ReceivedBody, readBody } from './read-body.ts';
import { type RequestHead, readRequestHead } from './request-head.ts';
import { sendAnswer, sendAnswerEarly } from './send-answer.ts';

export interface ServiceContext<Update extends OrderUpdate> {
  readonly keys: KeyRing;
  readonly book: OrderBook<Update>;
  readonly journal: Journal;
  readonly schema: OrderUpdateSchema<Update>;
  readonly maxBodyBytes: number;
  readonly latencyMs: number;
  readonly now: () => number;
  readonly nextRequestId: () => string;
  readonly onAnswer: ((entry: JournalEntry) => void) | undefined;
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
}

/** Takes one request from its socket to its answer: admit, read, decide, wait, send. */
export async function serveRequest<Update extends OrderUpdate>(
  request: IncomingMessage,
  response: ServerResponse,
  context: ServiceContext<Update>,
): Promise<void> {
  const head = readRequestHead(request);
  const stamp = { requestId: context.nextRequestId(), at: context.now() };
  response.setHeader('x-request-id', stamp.requestId);
  const authorization = context.keys.identify(head.headers['authorization'] ?? []);
  const { entry, markReceived, markAnswered } = context.journal.open(head, { ...stamp, authorization });

  const body = await readBody(request, context.maxBodyBytes);
  const answer = body.end === 'cut' ? undefined : decide(head, body, entry, context);
  markReceived(body);
  if (answer === undefined) return;

  if (context.latencyMs > 0) await delay(context.latencyMs, undefined, { signal: context.closing });
  if (response.destroyed) return;
  markAnswered(answer.status, context.now());
  context.onAnswer?.(entry);
  if (body.end === 'too_large' && !request.readableEnded) sendAnswerEarly(response, answer);
  else sendAnswer(response, answer);
}

function decide<Update extends OrderUpdate>(
  head: RequestHead,
  body: ReceivedBody,
  { requestId, authorization }: JournalEntry,
  context: ServiceContext<Update>,
): Answer {
  try {
    const admission: Admission = admitRequest(head, authorization, context.book);
    if (admission.operation === 'refuse') return admission.answer;
    if (body.end === 'too_large') return refuseTooLarge(context.maxBodyBytes);
    if (admission.operation === 'echo') return answerEcho(admission.keyType);
    const stamp = { requestId, at: context.now() };
    return applyUpdate(body.bytes, { ...context, token: admission.token, stamp });
  } catch (error) {
    // A failure inside must reach the test as an answer, because a thrown one would end its process.
    const message = `The order service failed: ${error instanceof Error ? error.message : 'unknown error'}.`;
    return answerRefusal({ status: 500, code: 'service_failed', message });
  }
}

function answerEcho(keyType: KeyType): Answer {
  return answerJson(200, { authenticated: true, key_type: keyType });
}

function refuseTooLarge(maxBodyBytes: number): Answer {
  const message = `The body is larger than ${maxBodyBytes} bytes, which is all that this service takes.`;
  return answerRefusal({ status: 413, code: 'body_too_large', message });
}
