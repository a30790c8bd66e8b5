import { Agent, type Dispatcher } from 'undici';
import type { Peer, PeerOptions } from './peer.ts';
import { updateHeaders, updatePath } from './update-request.ts';

/** `JSON.stringify`, bare `dispatch` and `JSON.parse`: the least that undici can be asked to do. */
export function createPeer({ baseUrl, apiKey }: PeerOptions): Peer {
  const agent = new Agent();
  const headers = updateHeaders(apiKey);
  return {
    send: (token, update) =>
      new Promise((resolve, reject) => {
        const body = JSON.stringify(update);
        const request = { origin: baseUrl, path: updatePath(token), method: 'PATCH', headers, body } as const;
        agent.dispatch(request, new JsonAnswer(resolve, reject));
      }),
    close: () => agent.close(),
  };
}

class JsonAnswer implements Dispatcher.DispatchHandler {
  readonly #resolve: (answer: unknown) => void;
  readonly #reject: (reason: Error) => void;
  readonly #chunks: Uint8Array[] = [];
  #status = 0;

  constructor(resolve: (answer: unknown) => void, reject: (reason: Error) => void) {
    this.#resolve = resolve;
    this.#reject = reject;
  }

  // Undici takes a handler without it for one of its older interface.
  onRequestStart(): void {}

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    this.#status = status;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (this.#status !== 200) this.#reject(new Error(`Status ${this.#status}`));
    else this.#resolve(JSON.parse(Buffer.concat(this.#chunks).toString('utf8')));
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.#reject(error);
  }
}
