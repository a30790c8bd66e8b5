import { expect } from 'vitest';
import type { TestDesk } from './open-test-desk.ts';

export interface Answer {
  readonly status: number;
  /** The body as JSON; undefined when it is empty. */
  readonly body: unknown;
  readonly headers: Headers;
}

/** Asks a desk as its page does, and makes sure that the key is not in what it answers. */
export async function askDesk(
  { desk, service }: Pick<TestDesk, 'desk' | 'service'>,
  path: string,
  init?: RequestInit,
): Promise<Answer> {
  const answer = await fetch(desk.url + path, init);
  const text = await answer.text();
  for (const secret of [service.key, btoa(`${service.key}:`)])
    expect(text + JSON.stringify([...answer.headers])).not.toContain(secret);
  return {
    status: answer.status,
    body: text === '' ? undefined : JSON.parse(text),
    headers: answer.headers,
  };
}

/** Sends JSON, or a text that claims to be. */
export function postJson(
  desk: Pick<TestDesk, 'desk' | 'service'>,
  path: string,
  body: string | object,
): Promise<Answer> {
  return askDesk(desk, path, withJson('POST', body));
}

export function withJson(method: string, body: string | object): RequestInit {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { method, headers: { 'content-type': 'application/json' }, body: text };
}
