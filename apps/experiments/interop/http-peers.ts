import { spawnSync } from 'node:child_process';
import axios from 'axios';
import got from 'got';
import ky from 'ky';
import createClient from 'openapi-fetch';
import type { components, paths } from './generated/openapi.ts';
import { run } from './processes.ts';

interface PeerRequest {
  readonly baseUrl: string;
  readonly method: 'GET' | 'HEAD' | 'OPTIONS' | 'PATCH' | 'PUT';
  /** The order token before it is encoded; without one the request goes to the echo. */
  readonly token?: string;
  readonly apiKey: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

interface PeerResponse {
  readonly status: number;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

type Send = (request: PeerRequest) => Promise<PeerResponse>;

/** HTTP clients that are not ours, set up as their own documentation suggests. */
export const httpPeers: Readonly<Record<string, Send>> = {
  async fetch(request) {
    const { method, apiKey, body, headers } = request;
    const type = body && { 'content-type': 'application/json' };
    const response = await fetch(urlOf(request), {
      method,
      headers: { authorization: basic(apiKey), ...type, ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    return readResponse(response, await response.text());
  },
  async axios(request) {
    const { status, headers, data } = await axios.request<string>({
      url: urlOf(request),
      method: request.method,
      auth: { username: request.apiKey, password: '' },
      data: request.body,
      headers: { ...request.headers },
      responseType: 'text',
      validateStatus: () => true,
      // By default it parses JSON even where the type is text.
      transformResponse: (text: string) => text,
    });
    return { status, headers: { ...headers }, body: data };
  },
  async got(request) {
    const { statusCode, headers, body } = await got(urlOf(request), {
      method: request.method,
      username: request.apiKey,
      password: '',
      ...(request.body && { json: request.body }),
      headers: { ...request.headers },
      throwHttpErrors: false,
      retry: { limit: 0 },
    });
    return { status: statusCode, headers, body };
  },
  async ky(request) {
    const response = await ky(urlOf(request), {
      method: request.method,
      headers: { authorization: basic(request.apiKey), ...request.headers },
      ...(request.body && { json: request.body }),
      throwHttpErrors: false,
      retry: 0,
    });
    return readResponse(response, await response.text());
  },
  async 'openapi-fetch'({ baseUrl, token, apiKey, body, headers = {} }) {
    const client = createClient<paths>({ baseUrl, headers: { authorization: basic(apiKey) } });
    const params = { path: { order_token: token ?? '' } };
    // An update that is invalid on purpose would not compile.
    const update = body as components['schemas']['OrderUpdate'];
    const { response, data, error } = await (token === undefined
      ? client.GET('/v2/echo_with_private_key', { headers })
      : client.PATCH('/v2/orders/{order_token}', { params, headers, body: update }));
    // It has parsed the body already.
    return readResponse(response, JSON.stringify(data ?? error));
  },
  curl: (request) => curl(request),
};

export function hasCurl(): boolean {
  return spawnSync('curl', ['--version']).error === undefined;
}

export interface CurlRequest extends PeerRequest {
  /** Further options of the command. */
  readonly options?: readonly string[];
  /** Whether the body comes from a pipe, so that curl cannot know its length. */
  readonly isPiped?: boolean;
}

interface CurlResponse extends PeerResponse {
  /** Statuses that came before the last one, such as 100. */
  readonly interim: readonly number[];
}

const endOfResponse = '\n-- end of response --\n';

export async function curl(request: CurlRequest): Promise<CurlResponse> {
  const [response] = await curlAll([request]);
  if (response === undefined) throw new Error('curl printed no response');
  return response;
}

/** Sends requests by one run of curl, which keeps its connection between them. */
export async function curlAll(requests: readonly CurlRequest[]): Promise<readonly CurlResponse[]> {
  // An argument has room for small bodies only.
  const input = requests.length === 1 ? JSON.stringify(requests[0]?.body) : undefined;
  const args = requests.flatMap((request, index) => {
    const { apiKey, method, body, headers = {}, isPiped, options = [] } = request;
    const data = isPiped ? ['--upload-file', '-'] : ['--data-binary', input ? '@-' : JSON.stringify(body)];
    return [
      ...[index === 0 ? '-q' : '--next', '--silent', '--show-error', '--include', '--max-time', '30'],
      ...['--user', `${apiKey}:`, ...(method === 'HEAD' ? ['--head'] : ['--request', method])],
      ...(body === undefined ? [] : ['--header', 'content-type: application/json', ...data]),
      ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
      ...['--write-out', endOfResponse, ...options, urlOf(request)],
    ];
  });
  const { code, stdout, stderr } = await run('curl', args, { input });
  if (code !== 0) throw new Error(`curl exited with ${code}: ${stderr}`);
  return stdout.split(endOfResponse).slice(0, -1).map(readCurlResponse);
}

function readCurlResponse(text: string): CurlResponse {
  const heads = /^(?:HTTP\/.+\r\n(?:.+\r\n)*\r\n)+/.exec(text)?.[0] ?? '';
  const statuses = [...heads.matchAll(/^HTTP\/\S+ (\d+)/gm)].map(([, status]) => Number(status));
  const last = heads.slice(heads.lastIndexOf('HTTP/'));
  const fields = [...last.matchAll(/^(.+?): (.*)\r$/gm)];
  return {
    status: statuses.at(-1) ?? 0,
    headers: Object.fromEntries(fields.map(([, name = '', value]) => [name.toLowerCase(), value])),
    body: text.slice(heads.length),
    interim: statuses.slice(0, -1),
  };
}

function urlOf({ baseUrl, token }: PeerRequest): string {
  return baseUrl + pathOf(token);
}

function readResponse({ status, headers }: Response, body: string): PeerResponse {
  return { status, headers: Object.fromEntries(headers), body };
}

export function basic(key: string): string {
  return `Basic ${Buffer.from(`${key}:`).toString('base64')}`;
}

/** The path of an update, or that of the echo. */
export function pathOf(token?: string): string {
  return token === undefined ? '/v2/echo_with_private_key' : `/v2/orders/${encodeURIComponent(token)}`;
}
