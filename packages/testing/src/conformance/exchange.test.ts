import { expect, test } from 'vitest';
import { startAnswering, startRawAnswering } from '../../test/conformance/answering.ts';
import type { ConformanceFetch } from './conformance-fetch.ts';
import { type ExchangeOptions, exchange } from './exchange.ts';

const get = { method: 'GET', headers: {} };
const options: ExchangeOptions = {
  fetch: (url, init) => fetch(url, init),
  timeoutMs: 5_000,
  signal: undefined,
  scrub: (text) => text.replaceAll('sekret', '[key]'),
};
const short = { ...options, timeoutMs: 40 };
const stalled = { failure: 'no whole answer came within 40 ms' };

test('reads an answer', async () => {
  await using service = await startAnswering((_, response) =>
    response.writeHead(201, { 'content-type': 'text/plain' }).end('yes'),
  );
  expect(await exchange(service.url, get, options)).toEqual({
    status: 201,
    mediaType: 'text/plain',
    location: undefined,
    text: 'yes',
    isWhole: true,
  });
});

test('follows no redirect', async () => {
  const paths: unknown[] = [];
  await using service = await startAnswering((request, response) => {
    paths.push(request.url);
    response.writeHead(307, { location: '/elsewhere' }).end();
  });
  expect(await exchange(`${service.url}/here`, get, options)).toMatchObject({
    status: 307,
    location: '/elsewhere',
  });
  expect(paths).toEqual(['/here']);
});

test('gives up on an answer that never begins', async () => {
  await using service = await startAnswering(() => {});
  expect(await exchange(service.url, get, short)).toEqual(stalled);
});

test('gives up on an answer that never ends', async () => {
  await using service = await startAnswering((_, response) => void response.writeHead(200).write('{'));
  expect(await exchange(service.url, get, short)).toEqual(stalled);
});

test('gives up on a fetch that heeds no signal', async () => {
  const deaf: ConformanceFetch = () => new Promise(() => {});
  expect(await exchange('http://localhost', get, { ...short, fetch: deaf })).toEqual(stalled);
});

test('reads no more than 64 KiB of an answer without end', async () => {
  await using service = await startAnswering((_, response) => {
    const pour = () => {
      while (!response.destroyed && response.write('x'.repeat(10_000))) {}
    };
    response.on('drain', pour);
    pour();
  });
  const answer = await exchange(service.url, get, options);
  expect(answer).toMatchObject({ status: 200, isWhole: false });
  expect('text' in answer && answer.text).toHaveLength(65_536);
});

test('reads an answer of exactly 64 KiB whole', async () => {
  await using service = await startAnswering((_, response) => response.end('x'.repeat(65_536)));
  expect(await exchange(service.url, get, options)).toMatchObject({ isWhole: true });
});

test('tells of a refused connection', async () => {
  const { url } = await startAnswering(() => {}).then(async (service) => {
    await service[Symbol.asyncDispose]();
    return service;
  });
  expect(await exchange(url, get, options)).toEqual({
    failure: expect.stringMatching(/^no whole answer came: .*ECONNREFUSED/),
  });
});

test('tells of a connection that breaks, whether before or within the answer', async () => {
  const beginnings = ['', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf', 'no HTTP at all'];
  for (const beginning of beginnings) {
    await using service = await startRawAnswering((socket) => socket.end(beginning));
    expect(await exchange(service.url, get, options)).toEqual({
      failure: expect.stringMatching(/^no whole answer came: /),
    });
  }
});

test('tells of a fetch that fails in a way of its own, without a secret', async () => {
  const failing: [ConformanceFetch, string][] = [
    [
      () => {
        throw new Error('sekret\nproxy');
      },
      'no whole answer came: [key] proxy',
    ],
    [() => Promise.reject('sekret'), 'no whole answer came: fetch threw something that is no error'],
    [
      () => Promise.reject(new TypeError('failed', { cause: Object.assign(new Error(), { code: 'EX' }) })),
      'no whole answer came: failed (EX)',
    ],
  ];
  for (const [fetch, failure] of failing) {
    expect(await exchange('http://localhost', get, { ...options, fetch })).toEqual({ failure });
  }
});

test("rejects with the signal's reason", async () => {
  const stop = new AbortController();
  await using service = await startAnswering(() => stop.abort('enough'));
  await expect(exchange(service.url, get, { ...options, signal: stop.signal })).rejects.toBe('enough');
  await expect(exchange(service.url, get, { ...options, signal: stop.signal })).rejects.toBe('enough');
});
