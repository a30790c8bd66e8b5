import { expect, expectTypeOf, test } from 'vitest';
import { problemsOf } from '../test/problems.ts';
import { createWebhookReader, WebhookEvent, type WebhookFields } from './index.ts';

const reader = createWebhookReader({ eventName: 'type', qrSessionId: ['data', 'session', 'id'] });
const event = { type: 'start_qr_session', data: { session: { id: 'qr-1' } } };

test('reads the name and the session identifier where you say they are', () => {
  expect(reader.eventName(event)).toBe('start_qr_session');
  expect(reader.qrSessionId(event)).toBe('qr-1');
  expect(createWebhookReader({ eventName: ['e', 'n'], qrSessionId: 'q' }).eventName({ e: { n: 'x' } })).toBe(
    'x',
  );
});

test('a text is a path, and a name in a list may have dots', () => {
  const read = (eventName: WebhookFields['eventName'], given: unknown) =>
    createWebhookReader({ eventName, qrSessionId: 'data.session.id' }).eventName(given);
  expect(read('event.name', { event: { name: 'x' }, 'event.name': 'y' })).toBe('x');
  expect(read(['event.name'], { event: { name: 'x' }, 'event.name': 'y' })).toBe('y');
  expect(createWebhookReader({ eventName: 'type', qrSessionId: 'data.session.id' }).qrSessionId(event)).toBe(
    'qr-1',
  );
});

test.each([null, undefined, 'text', 7, []])('reads nothing from %j, which is no event', (nothing) => {
  expect(reader.eventName(nothing)).toBeUndefined();
});

test('reads no session identifier from another event', () => {
  expect(reader.eventName({ ...event, type: 'paid' })).toBe('paid');
  expect(reader.qrSessionId({ ...event, type: 'paid' })).toBeUndefined();
});

test.each([
  {},
  { type: 5 },
  { type: '' },
  { type: null },
  { type: ['start_qr_session'] },
  { type: 'start_qr_session' },
  { type: 'start_qr_session', data: null },
  { type: 'start_qr_session', data: 'session' },
  { type: 'start_qr_session', data: { session: { id: 7 } } },
  { type: 'start_qr_session', data: { session: { id: '' } } },
])('reads no session identifier from %j', (strange) => {
  expect(reader.qrSessionId(strange)).toBeUndefined();
});

test('reads own fields only', () => {
  expect(reader.eventName(Object.create(event))).toBeUndefined();
});

test('an unknown option is a TypeError', () => {
  const options = { eventName: 'type', qrSession: 'session' } as unknown as WebhookFields;
  expect(() => createWebhookReader(options)).toThrow(
    new TypeError('createWebhookReader: unknown option "qrSession". Did you mean "qrSessionId"?'),
  );
});

test('an event is an object with any fields', () => {
  expect(WebhookEvent.parse(event)).toStrictEqual(event);
  expect(problemsOf(WebhookEvent, JSON.stringify(event))).toEqual([
    ['', 'invalid_type', 'Write an object, not text; parse JSON text first.'],
  ]);
  expectTypeOf<WebhookEvent[string]>().toEqualTypeOf<unknown>();
});
