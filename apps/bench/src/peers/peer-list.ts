import type { Peer, PeerOptions } from './peer.ts';

interface PeerEntry {
  /** What tables call it. */
  readonly label: string;
  /** The package whose version is told; the runtime's own when there is none. */
  readonly from: string | undefined;
  readonly load: () => Promise<{ readonly createPeer: (options: PeerOptions) => Peer }>;
}

/** The peers, in the order of tables; the names are those of `--peers`. */
export const peerList = {
  dispatch: {
    label: 'undici.dispatch',
    from: 'undici',
    load: () => import('./undici-dispatch.ts'),
  },
  request: {
    label: 'undici.request',
    from: 'undici',
    load: () => import('./undici-request.ts'),
  },
  ours: {
    label: '@orders/client',
    from: '@orders/client',
    load: () => import('./ours.ts'),
  },
  'by-hand': {
    label: 'zod + undici by hand',
    from: 'zod',
    load: () => import('./by-hand.ts'),
  },
  fetch: {
    label: 'fetch',
    from: undefined,
    load: () => import('./fetch.ts'),
  },
  got: { label: 'got', from: 'got', load: () => import('./got.ts') },
  'openapi-fetch': {
    label: 'openapi-fetch',
    from: 'openapi-fetch',
    load: () => import('./openapi-fetch.ts'),
  },
  axios: { label: 'axios', from: 'axios', load: () => import('./axios.ts') },
  ky: { label: 'ky', from: 'ky', load: () => import('./ky.ts') },
} as const satisfies Record<string, PeerEntry>;

export type PeerName = keyof typeof peerList;
export const peerNames = Object.keys(peerList) as PeerName[];
/** What all others are compared with: it takes part in every run. */
export const baseline: PeerName = 'request';

export function isPeerName(name: string): name is PeerName {
  return Object.hasOwn(peerList, name);
}
