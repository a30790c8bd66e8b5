import { isUtf8 } from 'node:buffer';
import type { Answer } from '../service/answer.ts';
import { isJsonContentType } from '../service/media-type.ts';
import type { RequestHead } from '../service/request-head.ts';
import { ControlRefusal } from './control-error.ts';
import type { ControlRoute, ControlSources } from './control-route.ts';
import { CONTROL_ROUTES, matchPath } from './control-routes.ts';

/** A request to the control API, its key checked and its body read. */
export interface ControlRequest {
  readonly method: string;
  /** Below the prefix and as sent, such as `/faults`; empty is `/`. */
  readonly path: string;
  /** As sent, without the question mark. @default none */
  readonly query?: string;
  readonly headers: RequestHead['headers'];
  readonly body: Buffer;
}

/** Answers whatever is asked and never rejects; apart from webhooks that are sent, it does no I/O. */
export async function answerControl(request: ControlRequest, sources: ControlSources): Promise<Answer> {
  try {
    refuseOtherOrigin(request.headers);
    const { route, id } = findRoute(request);
    const query = readQuery(request.query ?? '', route.query ?? []);
    const body = route.method === 'POST' ? readJson(request, route) : undefined;
    return await route.answer({ sources, id, query, body });
  } catch (error) {
    if (error instanceof ControlRefusal) return error.answer;
    const reason = error instanceof Error ? error.message : 'unknown error';
    return new ControlRefusal(500, { code: 'control_failed', message: `The control API failed: ${reason}.` })
      .answer;
  }
}

/** A page of another site must not steer a service that happens to run on its visitor's machine. */
function refuseOtherOrigin({ origin, host }: RequestHead['headers']): void {
  if (origin === undefined || hostOf(origin) === hostOf(`http://${host}`)) return;
  const message = 'The Origin is not this service; call the control API from a program, not from a page.';
  throw new ControlRefusal(403, { code: 'origin_refused', message });
}

/** A symbol of its own for what is no address, so that two such are never the same. */
function hostOf(url: string): string | symbol {
  return URL.canParse(url) ? new URL(url).host || Symbol(url) : Symbol(url);
}

function findRoute({ method, path }: ControlRequest): { route: ControlRoute; id: string } {
  const atPath = CONTROL_ROUTES.flatMap((route) => {
    const id = matchPath(route.path, path || '/');
    return id === undefined ? [] : [{ route, id }];
  });
  if (atPath.length === 0) {
    const message = 'No such route; GET / of the control API lists them all.';
    throw new ControlRefusal(404, { code: 'route_not_found', message });
  }
  const wanted = method === 'HEAD' ? 'GET' : method;
  const found = atPath.find(({ route }) => route.method === wanted);
  if (found !== undefined) return found;
  const allow = atPath.flatMap(({ route }) => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]));
  const message = `This route takes ${allow.join(', ')}.`;
  throw new ControlRefusal(405, { code: 'method_not_allowed', message }, { allow: allow.join(', ') });
}

function readQuery(text: string, names: readonly string[]): Readonly<Partial<Record<string, string>>> {
  const query: Partial<Record<string, string>> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    if (names.includes(name) && query[name] === undefined) query[name] = value;
    else {
      const known = names.length === 0 ? 'no parameters' : `${names.join(' and ')}, each once`;
      const message = `The query holds ${JSON.stringify(name.slice(0, 40))}; this route takes ${known}.`;
      throw new ControlRefusal(422, { code: 'query_refused', message });
    }
  }
  return query;
}

function readJson({ headers, body }: ControlRequest, { isBodiless = false }: ControlRoute): unknown {
  // A page can send a form to any address, but no JSON without asking first (CORS).
  if (!isJsonContentType(headers['content-type']) || headers['content-encoding'] !== undefined) {
    const message = 'Send Content-Type: application/json, in UTF-8 and without a Content-Encoding.';
    throw new ControlRefusal(415, { code: 'media_type_unsupported', message });
  }
  if (isBodiless && body.length === 0) return undefined;
  try {
    if (isUtf8(body)) return JSON.parse(body.toString('utf8'));
  } catch {
    // It is told below, without the parser's words, which repeat the body.
  }
  throw new ControlRefusal(400, { code: 'body_not_json', message: 'The body is not JSON in UTF-8.' });
}
