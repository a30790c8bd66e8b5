import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OrderUpdate, OrderUpdateSchema } from '@orders/schema';
import { admitRequest } from './admit-request.ts';
import { type Answer, answerJson, type OrderServiceErrorBody, type Refusal } from './answer.ts';
import { applyUpdate } from './apply-update.ts';
import type { Answers } from './choices.ts';
import { alterAnswer } from './faults/alter-answer.ts';
import { breakOff } from './faults/break-off.ts';
import { deliverAnswer } from './faults/deliver-answer.ts';
import { appliesUpdate, isAt } from './faults/fault-kinds.ts';
import type { FaultSource } from './faults/fault-script.ts';
import type { Journal, JournalEntry, OpenEntry } from './journal.ts';
import type { KeyRing } from './key-ring.ts';
import type { OrderBook } from './order-book.ts';
import { NO_BODY, type ReceivedBody, readBody } from './read-body.ts';
import type { RequestHead } from './request-head.ts';
import { type RequestTarget, readRequestTarget } from './request-target.ts';
import { sendAnswer, sendAnswerEarly } from './send-answer.ts';

export interface ServiceContext<Update extends OrderUpdate> {
  readonly keys: KeyRing;
  readonly book: OrderBook<Update>;
  readonly journal: Journal;
  readonly faults: FaultSource;
  readonly answers: Answers<Update>;
  readonly schema: OrderUpdateSchema<Update>;
  readonly maxBodyBytes: number;
  readonly latencyMs: number;
  readonly now: () => number;
  readonly nextRequestId: () => string;
  readonly onRequest: ((entry: JournalEntry) => void) | undefined;
  /** Rejects when the service closes. */
  readonly wait: (ms: number) => Promise<void>;
  /** Ends every connection, this one included, and listens again after so many milliseconds. */
  readonly restart: (downMs: number) => void;
  /** Sees to what goes wrong while an answer is held back or sent piece by piece. */
  readonly settle: (work: Promise<void>, response: ServerResponse) => void;
}

/** Takes one request from its connection to its answer: read, decide, wait, send; a fault may end it at each. */
export function serveRequest<Update extends OrderUpdate>(
  request: IncomingMessage,
  response: ServerResponse,
  { head, context }: { readonly head: RequestHead; readonly context: ServiceContext<Update> },
): void {
  const { socket } = request;
  const { journal, maxBodyBytes } = context;
  const target = readRequestTarget(head.target);
  const entry = openEntry(head, target, { socket, context });
  journal.add(entry);

  if (isAt('head', entry.fault)) {
    journal.markReceived(entry, NO_BODY);
    socket.resetAndDestroy();
    context.onRequest?.(entry);
    return;
  }
  const limit = { maxBytes: maxBodyBytes, declaredLength: head.headers['content-length'] };
  readBody(request, limit, (body) => {
    const answer = body.end === 'cut' ? undefined : decide(body, { head, target, entry, context });
    journal.markReceived(entry, body);
    if (answer === undefined) context.onRequest?.(entry);
    else if (isAt('body', entry.fault)) {
      breakOff(entry.fault, socket, context.restart);
      context.onRequest?.(entry);
    } else reply(response, answer, { entry, context, isEarly: body.end === 'too_large' });
  });
}

function openEntry<Update extends OrderUpdate>(
  head: RequestHead,
  target: RequestTarget,
  { socket, context }: { readonly socket: object; readonly context: ServiceContext<Update> },
): OpenEntry {
  const requestId = context.nextRequestId();
  const at = context.now();
  const { method, target: path, headers } = head;
  const resource = 'problem' in target ? undefined : target.resource;
  const operation = resource === 'order' ? 'update' : resource === 'echo' ? 'echo' : undefined;
  const token = 'token' in target ? target.token : undefined;
  return {
    requestId,
    at,
    method,
    path,
    operation,
    token,
    headers,
    authorization: context.keys.identify(head.authorization),
    fault: context.faults.onRequest({ method, operation, token }, requestId, socket),
    body: NO_BODY.bytes,
    complete: false,
    status: undefined,
    answeredAt: undefined,
  };
}

interface Received<Update extends OrderUpdate> {
  readonly head: RequestHead;
  readonly target: RequestTarget;
  readonly entry: JournalEntry;
  readonly context: ServiceContext<Update>;
}

function decide<Update extends OrderUpdate>(body: ReceivedBody, received: Received<Update>): Answer {
  try {
    return judge(body, received);
  } catch (error) {
    // A failure inside must reach the test as an answer, because a thrown one would end its process.
    const message = `The order service failed: ${error instanceof Error ? error.message : 'unknown error'}.`;
    return answerJson(500, { error: { code: 'service_failed', message } } satisfies OrderServiceErrorBody);
  }
}

function judge<Update extends OrderUpdate>(
  body: ReceivedBody,
  { head, target, entry, context }: Received<Update>,
): Answer {
  const { answers, book, schema, maxBodyBytes } = context;
  const admission = admitRequest(head, target, entry.authorization);
  if (admission.operation === 'refuse') return answers.refused(admission.refusal);
  if (admission.operation === 'methods') return answerJson(204, undefined, { allow: admission.allow });
  if (admission.operation === 'echo') {
    return body.end === 'too_large'
      ? answers.refused(tooLarge(maxBodyBytes))
      : answers.echoed(admission.keyType);
  }
  const order = book.find(admission.token);
  if (order === undefined) return answers.refused(UNKNOWN_ORDER);
  if (body.end === 'too_large') return answers.refused(tooLarge(maxBodyBytes));
  const isApplied = entry.fault === undefined || appliesUpdate(entry.fault);
  const stamp = { requestId: entry.requestId, at: context.now() };
  return applyUpdate(body.bytes, { order, schema, book, answers, stamp, isApplied });
}

const UNKNOWN_ORDER: Refusal = {
  status: 404,
  code: 'order_not_found',
  message: "No order has this token; the path takes the service's token, not the merchant's order_id.",
};

function tooLarge(maxBodyBytes: number): Refusal {
  const message = `The body is larger than ${maxBodyBytes} bytes, which is all that this service takes.`;
  return { status: 413, code: 'body_too_large', message };
}

interface Reply<Update extends OrderUpdate> {
  readonly entry: OpenEntry;
  readonly context: ServiceContext<Update>;
  /** Whether the sender may still be sending. */
  readonly isEarly: boolean;
}

function reply<Update extends OrderUpdate>(
  response: ServerResponse,
  usual: Answer,
  { entry, context, isEarly }: Reply<Update>,
): void {
  const { fault } = entry;
  const { latencyMs, answers, now, onRequest, wait, settle } = context;
  const send = (): Promise<void> | undefined => {
    if (response.destroyed) {
      onRequest?.(entry);
      return undefined;
    }
    const altered = isAt('answer', fault) ? alterAnswer(fault, usual, answers.refused) : usual;
    const answer = { ...altered, headers: { ...altered.headers, 'x-request-id': entry.requestId } };
    entry.status = answer.status;
    entry.answeredAt = now();
    onRequest?.(entry);
    const deliver = isEarly && !response.req.readableEnded ? sendAnswerEarly : sendAnswer;
    if (isAt('answer', fault)) return deliverAnswer(fault, answer, response, { send: deliver, wait });
    deliver(response, answer);
    return undefined;
  };
  const heldMs = latencyMs + (fault?.fault === 'latency' ? fault.ms : 0);
  const work = heldMs > 0 ? wait(heldMs).then(send) : send();
  if (work !== undefined) settle(work, response);
}
