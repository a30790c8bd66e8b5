const reserved =
  /^(authorization|proxy-authorization|host|content-.+|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect)$/i;

/**
 * Checks headers that a user adds to requests.
 *
 * @throws TypeError for a header that this client sets itself, and for a name or a value that HTTP does
 * not allow. The message shows no value.
 */
export function checkHeaders(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  const checked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name))
      throw new TypeError(`headers: ${JSON.stringify(name)} is no header name.`);
    if (reserved.test(name)) throw new TypeError(`headers: ${name} is set by the client; leave it out.`);
    if (typeof value !== 'string' || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw new TypeError(`headers: the value of ${name} holds a character that HTTP does not allow.`);
    }
    checked[name.toLowerCase()] = value;
  }
  return checked;
}
