import { expect, test } from 'vitest';
import { buildSources, control } from '../../test/control-sources.ts';
import { startReceiver } from '../../test/webhook-receiver.ts';

test('sends an event, answers with what became of it, and shows what was sent', async () => {
  await using receiver = await startReceiver([200, 500]);
  const sources = buildSources({ webhookUrl: receiver.url });
  const body = {
    event: 'start_qr_session',
    session_id: 'qr_1',
    fields: { amount: 5 },
    token: 'ord_1',
    id: 'evt_1',
  };
  const first = await control(sources, 'POST /webhooks', { body });
  const second = await control(sources, 'POST /webhooks', { body: { event: 'paid', url: receiver.url } });
  expect(JSON.parse(String(receiver.calls[0]?.body))).toEqual({
    id: 'evt_1',
    event: 'start_qr_session',
    order_token: 'ord_1',
    session_id: 'qr_1',
    amount: 5,
  });
  expect([first.status, second.status]).toEqual([200, 200]);
  expect([first.json, second.json]).toEqual(sources.webhooks.sent);
  expect(sources.webhooks.sent.map(({ delivered }) => delivered)).toEqual([true, false]);
  expect((await control(sources, 'GET /webhooks')).json).toEqual({
    entries: sources.webhooks.sent,
    next: '2',
    omitted: 0,
  });
  expect((await control(sources, 'GET /webhooks?after=1')).json).toMatchObject({
    entries: [second.json],
    next: '2',
  });
});

test('replays the same bytes, with an empty body or an empty object', async () => {
  await using receiver = await startReceiver();
  const sources = buildSources({ webhookUrl: receiver.url });
  await control(sources, 'POST /webhooks', { body: { event: 'paid', id: 'a/b%' } });
  for (const body of ['', {}]) {
    const line = `POST /webhooks/${encodeURIComponent('a/b%')}/replay`;
    expect(await control(sources, line, { body })).toMatchObject({ status: 200, json: { delivered: true } });
  }
  expect(new Set(receiver.calls.map(({ body }) => String(body))).size).toBe(1);
  expect(receiver.calls).toHaveLength(3);
});

test('replays nothing of an id that was not sent, and takes no fields', async () => {
  await using receiver = await startReceiver();
  const sources = buildSources({ webhookUrl: receiver.url });
  await control(sources, 'POST /webhooks', { body: { event: 'paid', id: 'evt_1' } });
  const codeAndStatus = async (line: string, body: unknown) => {
    const { status, json } = await control(sources, line, { body });
    return [status, (json as { error: { code: string } }).error.code];
  };
  expect(await codeAndStatus('POST /webhooks/evt_2/replay', {})).toEqual([404, 'webhook_not_found']);
  expect(await codeAndStatus('POST /webhooks/evt_1/replay', { url: 'x' })).toEqual([422, 'webhook_refused']);
  expect(await codeAndStatus('POST /webhooks/evt_1/replay', [])).toEqual([422, 'webhook_refused']);
  expect(receiver.calls).toHaveLength(1);
});

test.each([
  [{ event: 'paid' }, /no hooks\.webhook_url/],
  [{ event: 'paid', sessionId: 'x' }, /unknown option "sessionId"\. Did you mean "session_id"\?/],
  [{ event: 'paid', fields: [] }, /webhook: fields must be an object\./],
  [{ event: 'paid', token: 'ord_2' }, /no order has this token/],
  [{ event: 'paid', url: 'http://203.0.113.1/' }, /not an address of this machine alone/],
  [{}, /webhook: event must be a string\./],
  [null, 'The body is not an object.'],
])('refuses to send %j, and says what to send', async (body, message) => {
  const sources = buildSources();
  const { status, json } = await control(sources, 'POST /webhooks', { body });
  expect(status).toBe(422);
  expect(json).toEqual({ error: { code: 'webhook_refused', message: expect.stringMatching(message) } });
  expect(sources.webhooks.sent).toEqual([]);
});
