/** The headers of an update (interface document, Endpoints and Authentication). */
export function updateHeaders(apiKey: string) {
  return {
    authorization: `Basic ${Buffer.from(`${apiKey}:`).toString('base64')}`,
    'content-type': 'application/json',
    accept: 'application/json',
  };
}

/** The path of an update, after the base URL. */
export function updatePath(token: string): string {
  return `/v2/orders/${encodeURIComponent(token)}`;
}
