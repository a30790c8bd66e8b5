import { check } from './check.ts';

const reserved =
  /^(authorization|proxy-authorization|host|content-.+|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect)$/i;

/**
 * Checks headers that a user adds to requests.
 *
 * @throws TypeError for a header that this client sets itself, and for a name or a value that HTTP does
 * not allow. The message shows no value.
 */
export function checkHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const checked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    check(/^[\w!#$%&'*+.^`|~-]+$/.test(name), `headers: ${JSON.stringify(name)} is no header name.`);
    check(!reserved.test(name), `headers: ${name} is set by the client; leave it out.`);
    check(isHeaderValue(value), `headers: the value of ${name} holds a character that HTTP does not allow.`);
    checked[name.toLowerCase()] = value;
  }
  return checked;
}

/** Whether a value may be that of an `Authorization` header. */
export function isAuthorization(value: unknown): value is string {
  return value !== '' && isHeaderValue(value);
}

function isHeaderValue(value: unknown): value is string {
  return typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}
