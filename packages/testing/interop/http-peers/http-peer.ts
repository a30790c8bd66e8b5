/** One request, as far as it is the same for every peer; how a peer is told of it is its own. */
export interface PeerRequest {
  readonly baseUrl: string;
  readonly method: 'GET' | 'HEAD' | 'OPTIONS' | 'PATCH' | 'PUT';
  /** The order token as it is, or the echo. */
  readonly target: { readonly token: string } | 'echo';
  /** Goes as HTTP Basic, by the peer's own means where it has some. */
  readonly apiKey: string;
  /** Made JSON by the peer itself where it does that. */
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface PeerAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A client that is not ours, set up as its own documentation suggests. */
export interface HttpPeer {
  readonly name: string;
  /** What it has no way to send. */
  readonly cannot: Readonly<Partial<Record<PeerRequest['method'], string>>>;
  /** Sends requests one after the other and gives every answer, whatever its status. */
  send(requests: readonly PeerRequest[]): Promise<readonly PeerAnswer[]>;
}

/** The path of a request, its token encoded as one segment. */
export function urlOf({ baseUrl, target }: PeerRequest): string {
  return target === 'echo'
    ? `${baseUrl}/v2/echo_with_private_key`
    : `${baseUrl}/v2/orders/${encodeURIComponent(target.token)}`;
}

/** For peers that have no means of their own (interface document, Authentication). */
export function authorizationOf({ apiKey }: PeerRequest): string {
  return `Basic ${Buffer.from(`${apiKey}:`).toString('base64')}`;
}

/** Sends one after the other, for peers that send one at a time. */
export function oneByOne(send: (request: PeerRequest) => Promise<PeerAnswer>): HttpPeer['send'] {
  return async (requests) => {
    const answers: PeerAnswer[] = [];
    for (const request of requests) answers.push(await send(request));
    return answers;
  };
}

export async function readResponse(response: Response): Promise<PeerAnswer> {
  const { status, headers } = response;
  return { status, headers: Object.fromEntries(headers), body: await response.text() };
}
