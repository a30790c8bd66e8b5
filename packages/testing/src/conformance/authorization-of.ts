import type { ConformanceRequest } from './conformance-case.ts';

export interface KeysInUse {
  readonly key: string;
  readonly otherType: string | undefined;
  /** Of no service. */
  readonly unknown: string;
}

/** The `Authorization` of a request (interface document, Authentication); undefined for none. */
export function authorizationOf(
  kind: ConformanceRequest['authorization'],
  { key, otherType, unknown }: KeysInUse,
): string | undefined {
  if (kind === 'key') return basic(`${key}:`);
  if (kind === 'key_as_password') return basic(`:${key}`);
  if (kind === 'unknown_key') return basic(`${unknown}:`);
  return kind === 'other_type_key' && otherType !== undefined ? basic(`${otherType}:`) : undefined;
}

function basic(pair: string): string {
  return `Basic ${Buffer.from(pair, 'utf8').toString('base64')}`;
}
