import {
  createSecureServer,
  type Http2Session,
  type IncomingHttpHeaders,
  type SecureServerOptions,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { listenOnLoopback } from './loopback.ts';

/** A whole HTTP/2 request. */
export interface Http2Request {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly stream: ServerHttp2Stream;
  readonly session: Http2Session;
  /** Which request of the server this is, from 1 on. */
  readonly count: number;
}

/** Starts a server on loopback that passes each whole request to `respond`, and each session to `greet` as it begins. */
export async function startHttp2Server(
  options: SecureServerOptions,
  respond: (request: Http2Request) => void,
  greet: (session: ServerHttp2Session, count: number) => void = () => {},
) {
  const requests: Http2Request[] = [];
  const sessions: ServerHttp2Session[] = [];
  const server = createSecureServer(options);
  server.on('session', (session: ServerHttp2Session) => {
    sessions.push(session);
    session.on('error', () => {});
    greet(session, sessions.length);
  });
  server.on('sessionError', () => {});
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    const { session } = stream;
    let body = '';
    stream.setEncoding('utf8');
    stream.on('error', () => {});
    stream.on('data', (chunk: string) => {
      body += chunk;
    });
    stream.on('end', () => {
      if (session === undefined) return;
      const request = { headers, body, stream, session, count: requests.length + 1 };
      requests.push(request);
      respond(request);
    });
  });
  const listener = await listenOnLoopback(server);
  return Object.assign(listener, { url: `https://127.0.0.1:${listener.port}`, requests, sessions });
}

/** Responds with JSON. */
export function respondJson({ stream }: Http2Request, status = 200, body = '{}'): void {
  if (stream.destroyed) return;
  stream.respond({ ':status': status, 'content-type': 'application/json' });
  stream.end(body);
}
