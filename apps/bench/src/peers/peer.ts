import type { OrderUpdate } from '@orders/schema';

/** One way of sending an update, set up as its own documentation suggests. */
export interface Peer {
  /** Sends an update and resolves with the parsed answer; rejects when that is no success. */
  send(token: string, update: OrderUpdate): Promise<unknown>;
  close(): Promise<void>;
}

export interface PeerOptions {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly apiKey: string;
}
