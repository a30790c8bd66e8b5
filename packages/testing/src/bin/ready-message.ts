export interface ReadyService {
  readonly url: string;
  readonly tokens: readonly string[];
  /** The key, when the service made it for this run; a key that was given is never printed. */
  readonly madeKey: string | undefined;
  /** Whether the control API is served. */
  readonly control: boolean;
}

/** What a person needs to send a first update, with lines to paste into a shell. */
export function formatReadyMessage({ url, tokens, madeKey, control }: ReadyService): string {
  const withKey = madeKey === undefined ? ', with your key in ORDERS_API_KEY' : '';
  const update = { order_id: 'my-order-1', cart: { items: [] } };
  const orderUrl = `${url}/v2/orders/${encodeURIComponent(tokens[0] ?? '')}`;
  const lines = [
    `The order service is ready at ${url}`,
    'Orders:',
    ...tokens.map((token) => `  ${token}`),
    madeKey === undefined ? 'Key: as given' : `Key, made for this run: ${madeKey}`,
    `Update an order${withKey}:`,
    `  ${formatCurl('PATCH', orderUrl, { madeKey, body: update })}`,
  ];
  if (control) {
    const rule = { when: 'next', play: { fault: 'status', status: 503 } };
    lines.push(
      `Control API: ${url}/_control`,
      `Make the next request fail${withKey}:`,
      `  ${formatCurl('POST', `${url}/_control/faults`, { madeKey, body: rule })}`,
    );
  }
  return `${lines.join('\n')}\n`;
}

function formatCurl(
  method: string,
  url: string,
  { madeKey, body }: { readonly madeKey: string | undefined; readonly body: object },
): string {
  const user = madeKey === undefined ? '"$ORDERS_API_KEY":' : quote(`${madeKey}:`);
  const headers = "-H 'Content-Type: application/json' -H 'Accept: application/json'";
  return `curl -sS -X ${method} ${quote(url)} -u ${user} ${headers} -d ${quote(JSON.stringify(body))}`;
}

/** One word to a POSIX shell, whatever it holds. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
