import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { DeskProblem, requestJson, requestNothing } from './request.ts';

const Answer = z.object({ count: z.number() });

async function serve(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

const problemOf = async (asked: Promise<unknown>): Promise<DeskProblem> => {
  const problem = await asked.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (problem instanceof DeskProblem) return problem;
  throw new Error('It is no DeskProblem.', { cause: problem });
};

test('reads an answer by its schema, and asks for JSON', async () => {
  await using desk = await serve((request, response) =>
    response.end(JSON.stringify({ count: request.headers.accept === 'application/json' ? 3 : 0 })),
  );
  expect(await requestJson(Answer, desk.url)).toEqual({ count: 3 });
});

test('tells what the desk says when it refuses, with what it says besides', async () => {
  const body = { error: { code: 'unknown_order', message: 'This desk knows no such order.' }, more: 1 };
  await using desk = await serve((_, response) => response.writeHead(404).end(JSON.stringify(body)));
  const problem = await problemOf(requestNothing(desk.url));
  expect(problem).toMatchObject({ code: 'unknown_order', status: 404, message: body.error.message, body });
});

test('a desk that does not answer has no status', async () => {
  const desk = await serve(() => {});
  await desk[Symbol.asyncDispose]();
  expect(await problemOf(requestJson(Answer, desk.url))).toMatchObject({ code: 'unreachable', status: 0 });
});

test('an answer that breaks off is none', async () => {
  await using desk = await serve((_, response) => {
    response.writeHead(200, { 'content-length': '99' }).write('{"count"');
    setImmediate(() => response.destroy());
  });
  expect(await problemOf(requestJson(Answer, desk.url))).toMatchObject({ code: 'unreachable', status: 0 });
});

test.each(['{"count":"3"}', '<html>'])('does not take %s for an answer', async (text) => {
  await using desk = await serve((_, response) => response.end(text));
  expect(await problemOf(requestJson(Answer, desk.url))).toMatchObject({ code: 'garbled', status: 200 });
});

test('a refusal that is no JSON is told all the same', async () => {
  await using desk = await serve((_, response) => response.writeHead(502).end('<html>'));
  expect(await problemOf(requestNothing(desk.url))).toMatchObject({ code: 'desk_failed', status: 502 });
});

test('leaves the error of whoever broke it off as it is', async () => {
  await using desk = await serve(() => {});
  const leaving = new AbortController();
  const asked = requestJson(Answer, desk.url, { signal: leaving.signal });
  leaving.abort(new Error('left'));
  await expect(asked).rejects.toThrow('left');
});
