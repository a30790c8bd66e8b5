import { expect, test } from 'vitest';
import { codeOf, ECHO_PATH, send } from '../../../test/send.ts';
import { startOrderService } from '../order-service.ts';
import type { Fault } from './fault.ts';

async function answerTo(fault: Fault, sent: Parameters<typeof send>[1] = {}) {
  await using service = await startOrderService({ orders: ['order-1'] });
  service.faults.next(fault);
  const answer = await send(service, sent);
  const [entry] = service.journal;
  expect(entry).toMatchObject({ fault, status: answer.status, requestId: answer.headers['x-request-id'] });
  return answer;
}

const usual = { token: 'order-1', revision: 1, order: { cart: {} } };

test('answers with a status, headers and a body as given', async () => {
  const answer = await answerTo({
    fault: 'status',
    status: 503,
    headers: { 'Retry-After': '2', 'Content-Type': 'text/plain' },
    body: 'too büsy',
  });
  expect(answer).toMatchObject({ status: 503, text: 'too büsy' });
  expect(answer.headers).toMatchObject({
    'retry-after': '2',
    'content-type': 'text/plain',
    'content-length': '9',
  });
});

test('answers with a status outside of every class', async () => {
  expect(await answerTo({ fault: 'status', status: 999 })).toMatchObject({ status: 999 });
});

test('gives a scripted refusal the shape of every refusal', async () => {
  const answer = await answerTo({ fault: 'status', status: 429 });
  expect([answer.headers['content-type'], codeOf(answer)]).toEqual(['application/json', 'fault_scripted']);
});

test('gives a scripted success the usual body', async () => {
  expect(await answerTo({ fault: 'status', status: 202 })).toMatchObject({ status: 202, json: usual });
});

test('answers as if an update had been applied that was not', async () => {
  await using service = await startOrderService({ orders: ['order-1'] });
  service.faults.next({ fault: 'status', status: 200, applied: false });
  expect((await send(service)).json).toEqual(usual);
  expect(service.order('order-1')).toEqual({ token: 'order-1', revision: 0, data: {} });
  expect((await send(service)).json).toEqual(usual);
});

test.each([204, 304])('sends neither a body nor a length with %i', async (status) => {
  const answer = await answerTo({ fault: 'status', status, headers: { etag: '"1"' } });
  expect(answer).toMatchObject({ status, text: '' });
  expect(answer.headers).toMatchObject({ etag: '"1"' });
  expect(answer.headers).not.toHaveProperty('content-length');
  expect(answer.headers).not.toHaveProperty('content-type');
});

test('answers 204', async () => {
  expect(await answerTo({ fault: 'no_content' })).toMatchObject({ status: 204, text: '' });
});

test('answers 200 of type JSON with nothing in it', async () => {
  const answer = await answerTo({ fault: 'empty' });
  expect(answer).toMatchObject({ status: 200, text: '' });
  expect(answer.headers).toMatchObject({ 'content-type': 'application/json', 'content-length': '0' });
});

test.each([undefined, 'null and void'])('answers 200 with JSON that cannot be read: %j', async (body) => {
  const answer = await answerTo({ fault: 'invalid_json', ...(body === undefined ? {} : { body }) });
  expect(answer).toMatchObject({ status: 200, text: body ?? '{"token":' });
  expect(answer.headers['content-type']).toBe('application/json');
  expect(() => JSON.parse(answer.text)).toThrow();
});

test('answers 200 with a page, as a proxy does', async () => {
  const answer = await answerTo({ fault: 'wrong_media_type' });
  expect(answer).toMatchObject({ status: 200, text: expect.stringMatching(/^<!doctype html>/) });
  expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
});

test('answers 200 with any body of any type', async () => {
  const answer = await answerTo({ fault: 'wrong_media_type', mediaType: 'text/csv', body: 'a,b' });
  expect([answer.headers['content-type'], answer.text]).toEqual(['text/csv', 'a,b']);
});

test('redirects, by default to a path that the journal would show', async () => {
  const answer = await answerTo({ fault: 'redirect' });
  expect(answer).toMatchObject({ status: 307, text: '' });
  expect(answer.headers['location']).toBe('/v2/moved');
});

test.each([301, 302, 303, 307, 308] as const)('redirects elsewhere with %i', async (status) => {
  const answer = await answerTo({ fault: 'redirect', status, location: 'https://elsewhere.example/' });
  expect([answer.status, answer.headers['location']]).toEqual([status, 'https://elsewhere.example/']);
});

test('answers an echo and a HEAD by script too', async () => {
  const fault = { fault: 'status', status: 503 } as const;
  expect(await answerTo(fault, { method: 'GET', path: ECHO_PATH })).toMatchObject({ status: 503 });
  expect(await answerTo(fault, { method: 'HEAD', path: ECHO_PATH })).toMatchObject({ status: 503, text: '' });
});

test('answers by script whatever is wrong with the request', async () => {
  const fault = { fault: 'status', status: 500 } as const;
  expect(await answerTo(fault, { key: 'unknown' })).toMatchObject({ status: 500 });
  expect(await answerTo(fault, { path: '/%' })).toMatchObject({ status: 500 });
});

test('tells of an answer by script just before it is sent', async () => {
  const told: unknown[] = [];
  const onRequest = ({ status, fault }: { status: unknown; fault: unknown }) => told.push([status, fault]);
  await using service = await startOrderService({ onRequest });
  service.faults.next({ fault: 'no_content' });
  await send(service);
  expect(told).toEqual([[204, { fault: 'no_content' }]]);
});
