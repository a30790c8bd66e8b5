import type { UpdateOrderResult } from '../src/fetch.ts';
import { apiKey, type Case, type Context, check, faultOf, token, update } from './context.ts';

type Options = Partial<Parameters<Context['sdk']['createOrdersClient']>[0]>;
type Place = 'refused' | 'forbidden' | 'untrusted' | 'speechless';

/** Where a service is, the options to call it with, and how it is told where these differ. */
interface Row {
  readonly options?: Options;
  readonly unless?: NonNullable<Case['unless']>;
}

/** One update to a service with a fault: what is told of it, and how often it arrived. */
function row(name: string, fault: string, told: string, { options, unless = {} }: Row = {}): Case {
  const run = async (context: Context): Promise<string> => {
    const { baseUrl, arrivals } = faultOf(context, fault);
    const result = await send(context, { baseUrl, ...options });
    return `${tell(result)}, ${(await arrivals()).length} arrived`;
  };
  return { name, told, unless, run };
}

/** One update to where no request arrives. */
function away(name: string, place: Place, told: string, { options, unless = {} }: Row): Case {
  const run = async (context: Context): Promise<string> =>
    tell(await send(context, { baseUrl: context.places[place], retry: { maxAttempts: 1 }, ...options }));
  return { name, told, unless, run };
}

async function send({ sdk }: Context, options: Options): Promise<UpdateOrderResult> {
  const orders = sdk.createOrdersClient({ baseUrl: '', apiKey, ...options });
  const result = await orders.safeUpdateOrder(token, update);
  await orders.close();
  return result;
}

/** An abort at a certain moment. */
function aborted(when: 'before the call' | 'while waiting' | 'while reading', told: string): Case {
  const run = async (context: Context): Promise<string> => {
    const { baseUrl, arrivals } = faultOf(context, when === 'while reading' ? 'stalls' : 'silent');
    const orders = context.sdk.createOrdersClient({ baseUrl, apiKey });
    const controller = new AbortController();
    const reason = new Error('enough');
    if (when === 'before the call') controller.abort(reason);
    const sending = orders.safeUpdateOrder(token, update, { signal: controller.signal });
    if (!controller.signal.aborted) {
      while ((await arrivals()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      // The head of an answer that stalls is on its way.
      await new Promise((resolve) => setTimeout(resolve, 50));
      controller.abort(reason);
    }
    const result = await sending;
    check(!result.ok && result.error.cause === reason, 'the cause is the reason of the abort');
    return `${tell(result)}, ${(await arrivals()).length} arrived`;
  };
  return { name: `an abort ${when}`, told, run };
}

function tell(result: UpdateOrderResult): string {
  if (result.ok) return `applied ${result.status} in ${result.attempts}`;
  const { error } = result;
  check(!error.message.includes('secret_order'), `the message holds the order token: ${error.message}`);
  const status = 'status' in error ? ` ${error.status}` : 'phase' in error ? ` ${error.phase}` : '';
  return `${error.outcome} ${error.code}${status} in ${error.attempts}`;
}

/** Connections kept open may break just when the next update leaves: it must not be sent twice. */
const resetWhileKept: Case = {
  name: 'a reset of a connection that was kept',
  told: 'unknown connection_failed in 1, 2 arrived',
  async run(context) {
    const { baseUrl, arrivals } = faultOf(context, 'resets-updates');
    const orders = context.sdk.createOrdersClient({ baseUrl, apiKey });
    await orders.echoWithPrivateKey();
    await new Promise((resolve) => setTimeout(resolve, 50));
    const result = await orders.safeUpdateOrder(token, update);
    await orders.close();
    return `${tell(result)}, ${(await arrivals()).length} arrived`;
  },
};

const impatient = { timeouts: { attempt: 500 } };
// Until its own patience ends, undici waits for a connection that nobody wants any more, and a client for undici.
const impatientToConnect = { attempt: 400, connect: 600 };
const unread = 'applied invalid_response 200 in 1, 1 arrived';
const broken = 'unknown connection_failed in 1, 1 arrived';
const neverLeft = 'not_sent connection_failed in 1';
const unnamed = {
  unless: { deno: 'unknown connection_failed in 1', workerd: 'unknown connection_failed in 1' },
};

export const outcomeCases: readonly Case[] = [
  row('a 200 of JSON', 'ok', 'applied 200 in 1, 1 arrived'),
  row('an empty 200', 'empty', 'applied 200 in 1, 1 arrived'),
  row('a 204', '204', 'applied 204 in 1, 1 arrived'),
  row('a 401', '401', 'rejected http_error 401 in 1, 1 arrived'),
  row('a 404', '404', 'rejected http_error 404 in 1, 1 arrived'),
  row('a 407', '407', 'rejected http_error 407 in 1, 1 arrived', { unless: { node: broken } }),
  row('a 421', '421', 'rejected http_error 421 in 1, 1 arrived', {
    unless: { node: 'rejected http_error 421 in 1, 2 arrived' },
  }),
  row('a 429 with Retry-After, then a 200', 'later-429', 'applied 200 in 2, 2 arrived'),
  row('a 429 with a Retry-After too late', 'much-later', 'rejected http_error 429 in 1, 1 arrived'),
  row('a redirect', '302', 'unknown http_error 302 in 1, 1 arrived'),
  row('a 408', '408', 'unknown http_error 408 in 1, 1 arrived'),
  row('a 500', '500', 'unknown http_error 500 in 1, 1 arrived'),
  row('a 503 with Retry-After', 'later-503', 'unknown http_error 503 in 1, 1 arrived'),
  row('a 404 page of HTML', '404-page', 'unknown http_error 404 in 1, 1 arrived'),
  row('a 200 page of HTML', 'html', 'unknown invalid_response 200 in 1, 1 arrived'),
  row('a 200 that is not JSON', 'not-json', unread),
  row('a 200 cut off', 'cut', unread),
  row('a 200 cut off between chunks', 'cut-chunks', unread),
  row('a 200 larger than the cap', 'large', unread, { options: { maxResponseBytes: 10_000 } }),
  row('a 200 in gzip', 'zipped', unread, { unless: { fetch: 'applied 200 in 1, 1 arrived' } }),
  row('no answer in time', 'silent', 'unknown timeout headers in 1, 1 arrived', { options: impatient }),
  row('an answer that stalls', 'stalls', 'applied timeout body in 1, 1 arrived', { options: impatient }),
  row('a close before the answer', 'closes', broken),
  row('a reset before the answer', 'resets', broken),
  resetWhileKept,
  row('an answer that is not HTTP', 'garbage', broken),
  away('a refused connection', 'refused', neverLeft, unnamed),
  // Deno checks its permissions before it connects, so this proves what a refused connection does not.
  away('a host that Deno is not allowed to reach', 'forbidden', neverLeft, {
    unless: { workerd: 'unknown connection_failed in 1' },
  }),
  away('a certificate that nobody trusts', 'untrusted', neverLeft, unnamed),
  away('a TLS handshake that stalls', 'speechless', 'not_sent timeout connect in 1', {
    options: { timeouts: impatientToConnect },
    unless: { fetch: 'unknown timeout headers in 1' },
  }),
  aborted('before the call', 'not_sent aborted in 0, 0 arrived'),
  aborted('while waiting', 'unknown aborted in 1, 1 arrived'),
  aborted('while reading', 'applied aborted in 1, 1 arrived'),
];
