export interface ReadyService {
  readonly url: string;
  readonly tokens: readonly string[];
  /** The key, when the service made it for this run; a key that was given is never printed. */
  readonly madeKey: string | undefined;
}

/** What a person needs to send a first update, with a line to paste. */
export function formatReadyMessage({ url, tokens, madeKey }: ReadyService): string {
  return [
    `The order service is ready at ${url}`,
    'Orders:',
    ...tokens.map((token) => `  ${token}`),
    madeKey === undefined ? 'Key: as given' : `Key, made for this run: ${madeKey}`,
    madeKey === undefined ? 'Update an order, with your key in ORDERS_API_KEY:' : 'Update an order:',
    `  ${formatCurl(`${url}/v2/orders/${encodeURIComponent(tokens[0] ?? '')}`, madeKey)}`,
    '',
  ].join('\n');
}

/** A made key is letters, digits and underscores, so quotes hold it. */
function formatCurl(url: string, madeKey: string | undefined): string {
  const user = madeKey === undefined ? '"$ORDERS_API_KEY":' : `'${madeKey}:'`;
  const body = JSON.stringify({ order_id: 'my-order-1', cart: { items: [] } });
  const headers = "-H 'Content-Type: application/json' -H 'Accept: application/json'";
  return `curl -sS -X PATCH '${url}' -u ${user} ${headers} -d '${body}'`;
}
