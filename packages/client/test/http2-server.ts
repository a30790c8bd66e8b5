import {
  createSecureServer,
  type Http2SecureServer,
  type Http2Session,
  type IncomingHttpHeaders,
  type SecureServerOptions,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { type Listener, listenOnLoopback } from './loopback.ts';

/** A whole HTTP/2 request. */
export interface Http2Request {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly stream: ServerHttp2Stream;
  readonly session: Http2Session;
  /** Which request of the server this is, from 1 on. */
  readonly count: number;
}

/** An HTTP/2 server on loopback that does to each request whatever a test says. */
export interface Http2Server extends Listener {
  readonly url: string;
  /** Requests that arrived whole. */
  readonly requests: readonly Http2Request[];
  /** Sessions that began, whatever became of them. */
  readonly sessions: readonly ServerHttp2Session[];
}

/** Starts a server that passes each request to `respond`, and each session to `greet` as it begins. */
export async function startHttp2Server(
  options: SecureServerOptions,
  respond: (request: Http2Request) => void,
  greet: (session: ServerHttp2Session, count: number) => void = () => {},
): Promise<Http2Server> {
  const requests: Http2Request[] = [];
  const sessions: ServerHttp2Session[] = [];
  const server: Http2SecureServer = createSecureServer(options);
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
  return {
    url: `https://127.0.0.1:${listener.port}`,
    requests,
    sessions,
    port: listener.port,
    get connections() {
      return listener.connections;
    },
    drop: listener.drop,
    [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
  };
}

/** Responds with JSON. */
export function respondJson({ stream }: Http2Request, status = 200, body = '{}'): void {
  if (stream.destroyed) return;
  stream.respond({ ':status': status, 'content-type': 'application/json' });
  stream.end(body);
}
