import { expect, test } from 'vitest';
import { readWebhookOptions } from './webhook-options.ts';
import { buildPayload } from './webhook-payload.ts';

test('has a default for everything', () => {
  expect(readWebhookOptions({})).toEqual({
    payload: buildPayload,
    maxAttempts: 3,
    retryDelayMs: 250,
    timeoutMs: 5_000,
    headers: { 'content-type': 'application/json' },
    anyAddress: false,
  });
});

test('lays headers over its own, whatever their case', () => {
  const { headers } = readWebhookOptions({
    headers: { 'Content-Type': 'application/cloudevents+json', 'X-A': '1' },
  });
  expect(headers).toEqual({ 'content-type': 'application/cloudevents+json', 'x-a': '1' });
});

test.each([
  [{ maxAttempts: 0 }, 'webhooks: maxAttempts must be a whole number from 1 to 100.'],
  [{ retryDelayMs: -1 }, 'webhooks: retryDelayMs must be a whole number from 0 to 3600000.'],
  [{ timeoutMs: Number.NaN }, 'webhooks: timeoutMs must be a whole number from 1 to 3600000.'],
  [{ payload: {} }, 'webhooks: payload must be a function that makes an object.'],
  [{ anyAddress: 'yes' }, 'webhooks: anyAddress must be true or false.'],
  [
    { headers: { 'x-secret': 'sekret\n' } },
    'webhooks: headers must be an object of header names and string values.',
  ],
  [
    { headers: { 'Content-Length': '5' } },
    'webhooks: headers may not hold content-length, which belongs to the connection.',
  ],
  [{ retries: 3 }, 'webhooks: unknown option "retries". Did you mean "retryDelayMs"?'],
])('refuses %j', (options, message) => {
  const read = () => readWebhookOptions(options as object);
  expect(read).toThrow(TypeError);
  expect(read).toThrow(message);
  expect(read).not.toThrow(/sekret/);
});
