import { randomUUID } from 'node:crypto';
import { buildOrderUpdate } from '@orders/testing';
import { expect, test } from 'vitest';
import { askDesk, postJson } from '../../test/ask-desk.ts';
import { openTestDesk, type TestDesk } from '../../test/open-test-desk.ts';

async function sendUnknown(open: TestDesk) {
  open.service.faults.next({ type: 'reset_after_applying' });
  const body = buildOrderUpdate({ order_id: 'mine-1' });
  const { id } = await open.updates.submit({ id: randomUUID(), token: 'order-1', body });
  await open.updates.settled(id);
  return { id, body };
}

test('shows an update with its body', async () => {
  await using open = await openTestDesk();
  const { id, body } = await sendUnknown(open);
  const answer = await askDesk(open, `/api/updates/${id}`);
  expect(answer.body).toEqual({ update: expect.objectContaining({ id, state: 'unknown' }), body });
  expect(answer.body).not.toHaveProperty('update.body');
});

test('lists the updates that wait for a person, until one decides', async () => {
  await using open = await openTestDesk();
  const { id } = await sendUnknown(open);
  expect((await askDesk(open, '/api/updates/undecided')).body).toMatchObject({ updates: [{ id }] });
  const decision = { decision: 'discarded' };
  expect(await postJson(open, `/api/updates/${id}/decision`, decision)).toMatchObject({
    status: 200,
    body: { id, decision: 'discarded' },
  });
  expect((await askDesk(open, '/api/updates/undecided')).body).toEqual({ updates: [] });
  expect(await postJson(open, `/api/updates/${id}/decision`, decision)).toMatchObject({
    status: 409,
    body: { error: { code: 'nothing_to_decide' } },
  });
});

test('sends again on demand', async () => {
  await using open = await openTestDesk();
  const { id, body } = await sendUnknown(open);
  const answer = await postJson(open, `/api/updates/${id}/decision`, { decision: 'sent_again' });
  expect(answer).toMatchObject({ status: 200, body: { id, decision: 'sent_again' } });
  await open.service.waitForRequests(2);
  expect(open.service.appliedUpdates('order-1')).toEqual([body, body]);
});

test.each([
  ['/api/updates/none/decision', { decision: 'discarded' }, 404],
  [`/api/updates/${randomUUID()}/decision`, { decision: 'discarded' }, 404],
])('knows no update at %s', async (path, body, status) => {
  await using open = await openTestDesk();
  expect(await postJson(open, path, body)).toMatchObject({
    status,
    body: { error: { code: 'unknown_update' } },
  });
});

test('refuses another decision, and one that is too long', async () => {
  await using open = await openTestDesk();
  const { id } = await sendUnknown(open);
  const path = `/api/updates/${id}/decision`;
  expect(await postJson(open, path, { decision: 'forgotten' })).toMatchObject({ status: 400 });
  expect(await postJson(open, path, { decision: 'x'.repeat(2000) })).toMatchObject({ status: 413 });
});
