import type { ServerResponse } from 'node:http';
import type { Answer } from './answer.ts';

/** Long enough for an answer to be read by someone who is still sending, short enough to be rid of an endless upload. */
const LINGER_MS = 500;

export function sendAnswer(response: ServerResponse, answer: Answer): void {
  const { status, headers, body } = answer;
  // Text of one byte a character is ASCII, which leaves faster when Node need not encode it.
  const encoding = Buffer.byteLength(body) === body.length ? 'latin1' : 'utf8';
  response.writeHead(status, headers).end(body, encoding);
}

/**
 * Answers someone who is still sending, then ends the connection.
 *
 * The end waits for the upload's, but not for long: closing a socket with unread bytes makes the kernel reset it, and
 * the reset can overtake the answer.
 */
export function sendAnswerEarly(response: ServerResponse, answer: Answer): void {
  response.writeHead(answer.status, { ...answer.headers, connection: 'close' });
  response.write(answer.body);
  const finish = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(finish, LINGER_MS);
  response.req.once('end', finish);
  response.once('close', finish);
}
