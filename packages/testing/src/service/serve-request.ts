import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OrderUpdate, OrderUpdateSchema } from '@orders/schema';
import { type Admission, admitRequest } from './admit-request.ts';
import { type Answer, answerJson, answerRefusal } from './answer.ts';
import { applyUpdate } from './apply-update.ts';
import { alterAnswer } from './faults/alter-answer.ts';
import { breakOff } from './faults/break-off.ts';
import { deliverAnswer } from './faults/deliver-answer.ts';
import { appliesUpdate, isAt } from './faults/fault-kinds.ts';
import type { FaultSource } from './faults/fault-script.ts';
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
  readonly faults: FaultSource;
  readonly schema: OrderUpdateSchema<Update>;
  readonly maxBodyBytes: number;
  readonly latencyMs: number;
  readonly now: () => number;
  readonly nextRequestId: () => string;
  readonly onAnswer: ((entry: JournalEntry) => void) | undefined;
  /** Rejects when the service closes. */
  readonly wait: (ms: number) => Promise<void>;
  /** Ends every connection, this one included, and listens again after so many milliseconds. */
  readonly restart: (downMs: number) => void;
}

/** Takes one request from its socket to its answer: admit, read, decide, wait, send; a fault may end it at each. */
export async function serveRequest<Update extends OrderUpdate>(
  request: IncomingMessage,
  response: ServerResponse,
  context: ServiceContext<Update>,
): Promise<void> {
  const { socket } = request;
  const head = readRequestHead(request);
  const stamp = { requestId: context.nextRequestId(), at: context.now() };
  const fault = context.faults.onRequest(head, stamp.requestId, socket);
  const authorization = context.keys.identify(head.headers['authorization'] ?? []);
  const { entry, markReceived, markAnswered } = context.journal.open(head, {
    ...stamp,
    authorization,
    fault,
  });

  if (isAt('head', fault)) {
    markReceived({ bytes: Buffer.alloc(0), end: 'cut' });
    socket.resetAndDestroy();
    return;
  }

  const body = await readBody(request, context.maxBodyBytes);
  const answer = body.end === 'cut' ? undefined : decide(head, body, entry, context);
  markReceived(body);
  if (answer === undefined) return;
  if (isAt('body', fault)) {
    breakOff(fault, socket, context.restart);
    return;
  }

  const heldMs = context.latencyMs + (fault?.fault === 'latency' ? fault.ms : 0);
  if (heldMs > 0) await context.wait(heldMs);
  if (response.destroyed) return;
  const sent = sign(isAt('answer', fault) ? alterAnswer(fault, answer) : answer, stamp.requestId);
  markAnswered(sent.status, context.now());
  context.onAnswer?.(entry);
  const send = body.end === 'too_large' && !request.readableEnded ? sendAnswerEarly : sendAnswer;
  if (isAt('answer', fault)) await deliverAnswer(fault, sent, response, { send, wait: context.wait });
  else send(response, sent);
}

/** Given with the other headers, since one that is set before makes Node take a slower way. */
function sign(answer: Answer, requestId: string): Answer {
  return { ...answer, headers: { ...answer.headers, 'x-request-id': requestId } };
}

function decide<Update extends OrderUpdate>(
  head: RequestHead,
  body: ReceivedBody,
  { requestId, authorization, fault }: JournalEntry,
  context: ServiceContext<Update>,
): Answer {
  try {
    const admission: Admission = admitRequest(head, authorization, context.book);
    if (admission.operation === 'refuse') return admission.answer;
    if (body.end === 'too_large') return refuseTooLarge(context.maxBodyBytes);
    if (admission.operation === 'echo') return answerEcho(admission.keyType);
    const isApplied = fault === undefined || appliesUpdate(fault);
    const stamp = { requestId, at: context.now() };
    const { token } = admission;
    const { schema, book } = context;
    return applyUpdate(body.bytes, { token, schema, book, stamp, isApplied });
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
