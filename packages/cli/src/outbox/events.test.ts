import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { createOutbox } from '@orders/outbox';
import { createInbox } from '@orders/outbox/inbox';
import { pgliteStore } from '@orders/outbox/pglite';
import { startMockOrderService } from '@orders/testing';
import { expect, test } from 'vitest';
import { makeFolder } from '../../../outbox/test/make-folder.ts';
import { step } from '../../../outbox/test/scene.ts';
import { runHere, startHere } from '../../test/run-here.ts';
import { createFolder } from '../../test/run-orders.ts';

const decode = (body: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(body));

/** A folder with one update that is queued, and events of which two need review. */
async function fill(folder: string): Promise<string> {
  await makeFolder(folder);
  const store = await pgliteStore(folder);
  const outbox = await createOutbox({ store });
  const inbox = createInbox({
    store,
    verify: decode,
    id: 'id',
    token: 'order',
    handler: () => {
      throw new Error('no such cart');
    },
    warn: () => {},
  });
  for (const [id, order] of [
    ['evt_1', 'ord_1'],
    ['evt_2', 'ord_2'],
    ['evt_3', 'ord_3'],
  ]) {
    const body = JSON.stringify({ id, order, session: 'qr_sekret' });
    await inbox.receive(new Request('http://shop.example/', { method: 'POST', body }));
  }
  await inbox.close();
  await store.query(
    "update orders_outbox.events set state = 'needs_review', failures = 10 where id <> 'evt_3'",
  );
  const id = await outbox.enqueue('ord_1', step(1));
  await outbox.close();
  return id;
}

test('events are shown and decided beside updates', async () => {
  await using made = await createFolder();
  const folder = made.path;
  const id = await fill(folder);
  const run = (words: string) => runHere(['outbox', ...words.split(' '), '--folder', folder]);
  const printed: string[] = [];
  const look = async (words: string) => {
    const { code, stdout } = await run(words);
    printed.push(stdout);
    return { code, stdout };
  };

  const status = await look('status');
  expect(status.code).toBe(1);
  expect(status.stdout).toMatch(/events queued +1 .*\n.*events needing review +2 .*wait for a decision/);
  expect(status.stdout).toContain('To decide: orders outbox list');
  const list = await look('list');
  expect(list.stdout).toMatch(
    /^evt_1 {2}event, needs_review\n {2}order +ord_1\n {2}received .* failed 10 times\n/,
  );
  expect(list.stdout).toMatch(
    /handle it again, or give it up:\n {2}orders outbox retry evt_1 .*\n {2}orders outbox discard/,
  );
  const json = JSON.parse((await look('list --json')).stdout);
  expect(json).toMatchObject([
    { kind: 'event', id: 'evt_1' },
    { kind: 'event', id: 'evt_2' },
  ]);
  expect(JSON.parse((await look('list --rejected --json')).stdout)).toEqual([]);
  const shown = await look('show evt_1');
  expect(shown.stdout).toMatch(/"session": "\[hidden\]"/);
  const history = await look('history ord_1');
  expect(history.stdout).toMatch(new RegExp(`${id} +queued.*\\n.*evt_1 +needs_review.*event of the inbox`));

  expect(await run('resolve evt_1')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is an event: retry'),
  });
  expect(await run('discard evt_1 --by ada --note twice')).toMatchObject({
    code: 0,
    stdout: 'evt_1  discarded  ord_1\n',
  });
  expect((await look('show evt_1')).stdout).toMatch(/message +by ada: twice\n.*payload +deleted/);
  const retried = await run('retry --all --yes');
  expect(retried).toMatchObject({ code: 0, stdout: expect.stringContaining('evt_2  queued again  ord_2') });
  expect(await run('discard nothing')).toMatchObject({ code: 1 });
  expect(printed.join('')).not.toContain('qr_sekret');

  expect(await run('restored')).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
  const restored = await run('restored --yes');
  expect(restored.stdout).toMatch(/^3 need review: .*\nTo decide: orders outbox list/);
  expect(JSON.parse((await look('list --json')).stdout)).toMatchObject([
    { kind: 'event', id: 'evt_2' },
    { kind: 'event', id: 'evt_3' },
    { id, code: 'restored' },
  ]);
  expect((await look('list --limit 1')).stdout).toMatch(
    /^evt_2 .*\nThese are the oldest 1; --limit shows more\.\n$/s,
  );
});

test('who opens a copy first reads what that did', async () => {
  await using made = await createFolder();
  const [folder, copy] = [join(made.path, 'shop'), join(made.path, 'copy')];
  await fill(folder);
  await cp(folder, copy, { recursive: true });
  const restored = await runHere(['outbox', 'restored', '--yes', '--folder', copy]);
  expect(restored).toMatchObject({ code: 0, stdout: expect.stringMatching(/^0 need review/) });
  expect(restored.stderr).toMatch(
    /is a copy of another folder.*: 2 updates and events .* need review \(restored\)/,
  );
  expect((await runHere(['outbox', 'status', '--folder', copy])).stderr).toBe('');
});

test('beside a worker on the folder, it is asked', async ({ skip }) => {
  if (process.platform === 'win32') return skip('Windows ends a process at once');
  await using made = await createFolder();
  const folder = made.path;
  await fill(folder);
  await using service = await startMockOrderService();
  const env = { ORDERS_API_KEY: service.key };
  const start = ['outbox', 'start', '--folder', folder, '--base-url', service.url, '--no-metrics', '--json'];
  await using worker = startHere(start, { env });
  await worker.printed(/"event":"started"/);
  const run = (words: string) => runHere(['outbox', ...words.split(' '), '--folder', folder]);
  expect(await run('discard evt_1')).toMatchObject({ code: 0 });
  expect(JSON.parse((await run('status --json')).stdout)).toMatchObject({
    events: { queued: 1, needsReview: 1 },
  });
  const restored = await run('restored --yes');
  expect(restored).toMatchObject({ code: 0, stderr: expect.stringContaining('A worker runs: end it first') });
});
