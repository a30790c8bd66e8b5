import { applies, type Fate, statuses } from './fates.ts';
import type { Observer } from './observer.ts';
import type { Process } from './process.ts';
import { chance, currentHost, elapsedMs, travel } from './virtual-time.ts';

/** The order service: a function that is called as `fetch` is. */
export class Service {
  readonly #observer: Observer;
  /** What becomes of the next requests. */
  next: Fate[] = [];
  /** What becomes of all others, echoes too. */
  usual: Fate = 'applied';

  constructor(observer: Observer) {
    this.#observer = observer;
  }

  /** Sends a request of the process that calls it. */
  readonly fetch = async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const process = currentHost() as Process;
    if (init.method !== 'PATCH') return this.#echo(process);
    const { cart } = JSON.parse(String(init.body)) as { cart: { items: [{ sku: string }] } };
    const token = decodeURIComponent(String(url).split('/').at(-1) ?? '');
    const fate = this.next.shift() ?? this.usual;
    const request = this.#observer.departs(cart.items[0].sku, token, fate, process);
    if (fate === 'unreachable') {
      this.#observer.vanishes(request);
      await process.cross();
      this.#observer.answers(request, 'refused');
      throw refusedConnection();
    }
    await travel(fate === 'late' ? chance() * 5_000 : chance() * 40);
    // A client that gave up has reset its connection; a process that crashed may have sent everything before.
    if (init.signal?.aborted) this.#observer.vanishes(request);
    else this.#observer.arrives(request, applies.has(fate));
    if (fate.startsWith('silent')) await new Promise(() => {});
    await travel(fate === 'slow' ? chance() * 12_000 : chance() * 40);
    request.respondedAtMs = elapsedMs();
    await process.cross('response');
    if (fate.startsWith('reset')) throw resetConnection();
    const status = statuses[fate] ?? 200;
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (status === 429) {
      request.retryAfterMs = 1_000 * Math.ceil(chance() * 5);
      headers['retry-after'] = String(request.retryAfterMs / 1_000);
    }
    if (status < 500) this.#observer.answers(request, status === 200 ? 'applied' : 'refused');
    return new Response('{}', { status, headers });
  };

  async #echo(process: Process): Promise<Response> {
    await travel(chance() * 40);
    await process.cross();
    if (this.usual === 'unreachable') throw refusedConnection();
    if (/^(reset|silent)/.test(this.usual)) throw resetConnection();
    // A key of the wrong type may echo well.
    const isRefused = this.usual === 'key refused' && chance() < 0.5;
    const status = isRefused ? 401 : this.usual.startsWith('failed') ? 500 : 200;
    if (status === 200) this.#observer.echoes();
    return new Response('{}', { status, headers: { 'content-type': 'application/json' } });
  }
}

function refusedConnection(): TypeError {
  return failed('connect ECONNREFUSED', { code: 'ECONNREFUSED', syscall: 'connect' });
}

function resetConnection(): TypeError {
  return failed('read ECONNRESET', { code: 'ECONNRESET', syscall: 'read' });
}

function failed(message: string, details: object): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(message), details) });
}
