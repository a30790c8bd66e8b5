import type * as fetchEntry from '../src/fetch.ts';
import type { Arrival } from './faults.ts';

/** What both entries of the package have in common. */
type Sdk = Pick<
  typeof fetchEntry,
  | 'createConnection'
  | 'createOrdersClient'
  | 'echoWithPrivateKey'
  | 'isOrdersError'
  | 'prepareUpdateOrder'
  | 'safeUpdateOrder'
  | 'updateOrder'
  | 'updateOrders'
>;

/** Where things are; plain data, so that it can be handed to another process. */
export interface Places {
  /** Base URL of the fault server. */
  readonly faults: string;
  /** Where nothing listens. */
  readonly refused: string;
  /** The same at a host that is not in Deno's `--allow-net`. */
  readonly forbidden: string;
  /** Where a server shows a certificate that nobody trusts. */
  readonly untrusted: string;
  /** Where TLS is never answered. */
  readonly speechless: string;
  /** An order service that works. */
  readonly service: { readonly url: string; readonly key: string; readonly token: string };
}

/** What a case has to work with. */
export interface Context {
  readonly sdk: Sdk;
  /** Loads the main entry. */
  readonly loadMain: () => Promise<Sdk>;
  readonly places: Places;
  /** The runtime's own way to print a value in depth, where it has one. */
  readonly inspect: (value: unknown) => string;
}

/** One check. It needs no test framework, so that it runs wherever JavaScript does. */
export interface Case {
  readonly name: string;
  /** What is told over undici in Node. */
  readonly told: string;
  /** What is told elsewhere, where a runtime's `fetch` cannot know: of all, or of one. */
  readonly unless?: Readonly<Partial<Record<Elsewhere, string>>>;
  /** Gives what is told. It rejects when a promise is broken. */
  readonly run: (context: Context) => Promise<string>;
}

/** Sends over `fetch` in any runtime, or in one of them. */
export type Elsewhere = 'fetch' | 'node' | 'bun' | 'deno' | 'workerd';

/** The key of every client here that does not speak to the order service. */
export const apiKey = 'swordfish+/=swordfish';

/** A base URL at which a fault waits, and how to ask what has arrived there. */
export function faultOf({ places }: Context, fault: string) {
  const id = crypto.randomUUID();
  const arrivals = async (): Promise<readonly Arrival[]> => {
    const answer = await fetch(`${places.faults}/arrived/${id}`);
    return (await answer.json()) as Arrival[];
  };
  return { baseUrl: `${places.faults}/${fault}/${id}`, arrivals };
}

export const update = {
  cart: { items: [{ type: 'physical', sku: 'MUG', quantity: 2, unit_price: 14_900 }] },
};
export const token = 'secret_order_token_1234';

export function check(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}
