import { type Answer, answerText, type Refusal } from '../answer.ts';
import type { FaultsByPlace, StatusFault } from './fault.ts';

/** Puts the fault's answer in the place of the usual one; a fault that merely delivers it badly leaves it as it is. */
export function alterAnswer(
  fault: FaultsByPlace['answer'],
  usual: Answer,
  refused: (refusal: Refusal) => Answer,
): Answer {
  switch (fault.fault) {
    case 'status':
      return answerStatus(fault, usual, refused);
    case 'redirect':
      return answerText(fault.status ?? 307, '', { location: fault.location ?? '/v2/moved' });
    case 'empty':
      return answerText(200, '', JSON_TYPE);
    case 'no_content':
      return BODILESS;
    case 'invalid_json':
      return answerText(200, fault.body ?? '{"token":', JSON_TYPE);
    case 'wrong_media_type':
      return answerText(200, fault.body ?? SIGN_IN_PAGE, {
        'content-type': fault.mediaType ?? 'text/html; charset=utf-8',
      });
    default:
      return usual;
  }
}

const JSON_TYPE = { 'content-type': 'application/json' };
const BODILESS: Answer = { status: 204, headers: {}, body: '' };
const SIGN_IN_PAGE = '<!doctype html><title>Sign in</title><p>Sign in to use this network.</p>';

function answerStatus(
  { status, headers = {}, body }: StatusFault,
  usual: Answer,
  refused: (refusal: Refusal) => Answer,
): Answer {
  const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const plain = plainAnswer();
  return { ...plain, status, headers: { ...plain.headers, ...Object.fromEntries(given) } };

  function plainAnswer(): Answer {
    // These never have a body (RFC 9110, 15.3.5 and 15.4.5), and a length would have a client wait for one.
    if (status === 204 || status === 304) return BODILESS;
    if (body !== undefined) return answerText(status, body, JSON_TYPE);
    if (status < 300) return usual;
    return refused({ status, code: 'fault_scripted', message: 'A scripted fault answered.' });
  }
}
