import { createOrdersClient } from '@orders/client';
import { buildOrderUpdate, type OrderService } from '@orders/testing';
import { type Case, check, checkSame } from './case.ts';
import { type CurlAnswer, type CurlRequest, run, runCurl } from './http-peers/run-curl.ts';
import { startOrdersServiceBin } from './orders-service-bin.ts';
import { apiKey, checkApplied, checkRefused, startService, update } from './service-cases.ts';

const large = { cart: {}, note: 'x'.repeat(900_000) };
const tooLarge = { cart: {}, note: 'x'.repeat(2_097_152) };
/** More than a shell takes as an argument, with what a shell would take for its own. */
const awkward = { cart: {}, order_id: `it's "$HOME" \`id\` \\`, note: '🧡'.repeat(40_000) };

type Send = (request: Partial<CurlRequest>) => Promise<CurlAnswer>;

function row(name: string, meet: (service: OrderService, send: Send) => Promise<string>): Case {
  const run = async (): Promise<string> => {
    await using service = await startService();
    const { url: baseUrl, token } = service;
    const send: Send = async (request) => {
      const [answer] = await runCurl([{ baseUrl, apiKey, method: 'PATCH', target: { token }, ...request }]);
      check(answer !== undefined, 'no answer');
      return answer;
    };
    return await meet(service, send);
  };
  return { peer: 'curl', name, run };
}

/** What curl can do that the other clients do not. */
export const curlCases: readonly Case[] = [
  row('Expect: 100-continue is answered before a body of 900 kB', async (service, send) => {
    const { interim, status } = await send({ body: large, headers: { expect: '100-continue' } });
    checkSame('statuses', [...interim, status], [100, 200]);
    return `100, then ${checkApplied(service, large)}`;
  }),
  row('Expect: 100-continue before a body of 2 MB ends in an answer', async (_service, send) => {
    const answer = await send({ body: tooLarge, headers: { expect: '100-continue' } });
    return [...answer.interim, checkRefused(answer, 413, 'body_too_large')].join(', then ');
  }),
  row('a body in chunks is applied', async (service, send) => {
    const { status } = await send({ body: update, headers: { 'transfer-encoding': 'chunked' } });
    checkSame('status', status, 200);
    return checkChunked(service, update);
  }),
  row('a body from a pipe is applied', async (service, send) => {
    const { status } = await send({ body: large, from: 'pipe' });
    checkSame('status', status, 200);
    return checkChunked(service, large);
  }),
  row('2 MB in chunks are refused with an answer, not a reset', async (_service, send) =>
    checkRefused(await send({ body: tooLarge, from: 'pipe' }), 413, 'body_too_large'),
  ),
  row('HTTP/1.0 is served', async (service, send) => {
    const { status, headers } = await send({ body: update, words: ['--http1.0'] });
    checkSame('status', status, 200);
    return `${checkApplied(service, update)}, connection: ${headers['connection']}`;
  }),
  row('an offer of HTTP/2 is answered by HTTP/1.1', async (service, send) => {
    const { interim, status } = await send({ body: update, words: ['--http2'] });
    checkSame('statuses', [...interim, status], [200]);
    checkSame('upgrade', service.journal[0]?.headers['upgrade'], 'h2c');
    return checkApplied(service, update);
  }),
  row('a body that says to be in gzip is refused', async (_service, send) =>
    checkRefused(
      await send({ body: update, headers: { 'content-encoding': 'gzip' } }),
      415,
      'media_type_unsupported',
    ),
  ),
  row('a command of toCurl() of our client works', (service) => runToCurl(service, buildOrderUpdate())),
  row('so does one with a long body and characters of the shell', (service) => runToCurl(service, awkward)),
  { peer: 'curl', name: 'the command that orders-service prints works', run: runPrinted },
];

function checkChunked(service: OrderService, body: object): string {
  checkSame('transfer-encoding', service.journal.at(-1)?.headers['transfer-encoding'], 'chunked');
  return `${checkApplied(service, body)}, in chunks`;
}

async function runToCurl(service: OrderService, body: { readonly cart: object }): Promise<string> {
  await using orders = createOrdersClient({ baseUrl: service.url, apiKey });
  const token = service.orders[1]?.token ?? '';
  const command = orders.prepareUpdateOrder(token, body).toCurl();
  const answer = JSON.parse(await run('sh', [], { input: command, env: { ORDERS_API_KEY: apiKey } }));
  checkSame('token', answer.token, token);
  checkSame('body in the ledger', service.ledger[0]?.body, body);
  return `${command.length} characters, revision ${answer.revision}`;
}

async function runPrinted(): Promise<string> {
  await using bin = await startOrdersServiceBin();
  const answer = JSON.parse(await run('sh', [], { input: bin.command }));
  checkSame('revision', answer.revision, 1);
  return `revision ${answer.revision} of ${answer.token.slice(0, 4)}…`;
}
