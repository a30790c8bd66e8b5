import { once } from 'node:events';
import { request } from 'node:http';

/** Sends a request with a `Host` and an `Origin` of its own, which `fetch` does not. */
export async function sendRequest(
  url: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  } = {},
): Promise<{ readonly status: number; readonly text: string }> {
  const sent = request(url, { method, headers });
  sent.end(body);
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return { status: response.statusCode, text };
}
