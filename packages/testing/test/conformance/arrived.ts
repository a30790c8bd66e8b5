import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

type Fields = Readonly<Record<string, unknown>>;

/** A request, taken apart as far as it can be. */
export interface Arrived {
  readonly operation: 'echo' | 'update';
  /** The user name of HTTP Basic. */
  readonly user: string | undefined;
  /** The type of the key that the user name is. */
  readonly keyType: string | undefined;
  readonly echoesBefore: number;
  /** What the path of an update names. */
  readonly names: 'token' | 'order_id' | 'nothing';
  readonly isJson: boolean;
  readonly json: unknown;
  /** The body, when it is an object. */
  readonly order: Fields | undefined;
  readonly items: unknown;
  /** The lines that are objects. */
  readonly lines: readonly Fields[];
  readonly hooks: Fields;
}

/** What the service holds. */
export interface Held {
  readonly keys: Readonly<Record<string, string>>;
  readonly token: string;
  readonly orderIds: ReadonlySet<string>;
  readonly echoes: number;
}

/** Undefined for a path and a method that the document does not show. */
export async function readArrived(request: IncomingMessage, held: Held): Promise<Arrived | undefined> {
  const { method, url = '', headers } = request;
  const body = await text(request);
  const [, name] = /^\/v2\/orders\/([^/]+)$/.exec(url) ?? [];
  const isEcho = method === 'GET' && url === '/v2/echo_with_private_key';
  if (!isEcho && (method !== 'PATCH' || name === undefined)) return undefined;
  const user = readUser(headers.authorization);
  const json = readJson(body);
  const order = asFields(json);
  const items = asFields(order?.['cart'])?.['items'];
  return {
    operation: isEcho ? 'echo' : 'update',
    user,
    keyType: user === undefined ? undefined : held.keys[user],
    echoesBefore: held.echoes,
    names: name === held.token ? 'token' : held.orderIds.has(name ?? '') ? 'order_id' : 'nothing',
    isJson: json !== undefined,
    json,
    order,
    items,
    lines: (Array.isArray(items) ? items : []).map(asFields).filter((line) => line !== undefined),
    hooks: asFields(order?.['hooks']) ?? {},
  };
}

function readUser(authorization = ''): string | undefined {
  const [, encoded] = /^Basic (.*)$/.exec(authorization) ?? [];
  return encoded === undefined ? undefined : atob(encoded).split(':', 1)[0];
}

function readJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function asFields(value: unknown): Fields | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? Object.fromEntries(Object.entries(value)) : undefined;
}
