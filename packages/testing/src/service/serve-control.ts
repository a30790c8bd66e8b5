import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OrderUpdate } from '@orders/schema';
import { answerControl } from '../control/answer-control.ts';
import type { ControlSources } from '../control/control-route.ts';
import { unauthorized } from './admit-request.ts';
import type { Answer } from './answer.ts';
import type { Answers } from './choices.ts';
import type { KeyRing } from './key-ring.ts';
import { type ReceivedBody, readBody } from './read-body.ts';
import type { RequestHead } from './request-head.ts';
import { readPath } from './request-target.ts';
import { sendAnswer } from './send-answer.ts';

const PREFIX = '/_control';
const MOST_BYTES = 1_048_576;

interface ControlAccess<Update extends OrderUpdate> {
  readonly head: RequestHead;
  readonly keys: KeyRing;
  readonly answers: Answers<Update>;
  readonly sources: ControlSources;
  readonly settle: (work: Promise<void>, response: ServerResponse) => void;
}

export function isControl(target: string): boolean {
  const path = readPath(target);
  return path === PREFIX || path.startsWith(`${PREFIX}/`);
}

/** Serves the control API: it stands in no journal and meets no fault. */
export function serveControl<Update extends OrderUpdate>(
  request: IncomingMessage,
  response: ServerResponse,
  { head, keys, answers, sources, settle }: ControlAccess<Update>,
): void {
  const limit = { maxBytes: MOST_BYTES, declaredLength: head.headers['content-length'] };
  const answer = async ({ bytes, end }: ReceivedBody): Promise<Answer> => {
    const facts = keys.identify(head.authorization);
    if (facts.keyType === undefined) return answers.refused(unauthorized(facts));
    if (end === 'too_large') return answers.refused(tooLarge);
    const { method, headers, target } = head;
    const path = readPath(target).slice(PREFIX.length);
    const query = target.split('?').slice(1).join('?');
    return answerControl({ method, path, query, headers, body: bytes }, sources);
  };
  readBody(request, limit, (body) => {
    if (body.end === 'cut') return;
    const work = answer(body).then((ready) => {
      // What is still being sent is not worth waiting for.
      const closing = body.end === 'too_large' ? { connection: 'close' } : {};
      sendAnswer(response, { ...ready, headers: { ...ready.headers, ...closing } });
    });
    settle(work, response);
  });
}

const tooLarge = {
  status: 413,
  code: 'body_too_large',
  message: `A control request takes at most ${MOST_BYTES} bytes.`,
} as const;
