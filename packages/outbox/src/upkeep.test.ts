import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { onBoth, onPglite, onPostgres, step, stepsApplied, until } from '../test/scene.ts';
import { startWorker } from '../test/start-worker.ts';
import { pgliteStore } from './store/pglite-store.ts';
import { rowsOf } from './store/sql.ts';
import { sweepSettled } from './sweep.ts';

onPostgres('parks within seconds what a killed process was sending, and repeats nothing', async (scene) => {
  const { open, service, postgres, schema, reaches } = scene;
  const outbox = await open();
  const [stalled = '', other = ''] = service.orders.map(({ token }) => token);
  service.faults.next({ type: 'stalled_headers' }, { token: stalled });
  const { connectionString } = postgres;
  const worker = await startWorker({ baseUrl: service.url, apiKey: service.key, connectionString, schema });
  const sent = await outbox.enqueue(stalled, step(1));
  const behind = await outbox.enqueue(stalled, step(2));
  await reaches(outbox, sent, 'sending');
  await reaches(outbox, await outbox.enqueue(other, step(3)), 'applied');
  await until('the service has it', () => stepsApplied(service, stalled).length === 1);
  await worker.kill();
  const killedAt = performance.now();
  await outbox.work();
  await reaches(outbox, sent, 'parked');
  // The heartbeat of pg-boss alone would take ten seconds and more.
  expect(performance.now() - killedAt).toBeLessThan(9_000);
  expect(await outbox.status(sent)).toMatchObject({ code: 'left_behind', attempts: 1 });
  expect(await outbox.status(behind)).toMatchObject({ state: 'queued', attempts: 0 });
  expect(service.journal).toHaveLength(2);
  await outbox.discard(sent);
  await outbox.drain();
  expect(stepsApplied(service, stalled)).toEqual([1, 2]);
});

onPostgres('takes over what a killed process had taken and not sent', async (scene) => {
  const { open, service, postgres, schema, sql } = scene;
  const outbox = await open();
  for (const { token } of service.orders) await outbox.enqueue(token, step(1));
  const { connectionString } = postgres;
  const rate = { perSecond: 0.01, burst: 3 };
  const worker = await startWorker({
    baseUrl: service.url,
    apiKey: service.key,
    connectionString,
    schema,
    rate,
  });
  await until('others wait for their place', async () => {
    const [row] = await rowsOf<{ taken: string }>(
      sql,
      `select count(*) as taken from ${schema}.lanes where state = 'fed' and worker is not null`,
    );
    return (await outbox.counts()).applied === 3 && Number(row?.taken) >= 1;
  });
  await worker.kill();
  await outbox.work();
  await until('all is applied', () => service.ledger.length === service.orders.length);
  await outbox.drain();
  expect(await outbox.counts()).toMatchObject({ applied: service.orders.length, parked: 0 });
});

onPglite('parks what a killed process was sending from a folder, and repeats nothing', async (scene) => {
  const { open, service, schema, reaches } = scene;
  const folder = await mkdtemp(join(tmpdir(), 'orders-outbox-'));
  const [stalled = '', other = ''] = service.orders.map(({ token }) => token);
  const [sent, behind, done] = [randomUUID(), randomUUID(), randomUUID()];
  try {
    service.faults.next({ type: 'stalled_headers' }, { token: stalled });
    const updates = [
      [stalled, sent, 1],
      [stalled, behind, 2],
      [other, done, 3],
    ] as const;
    const worker = await startWorker({ baseUrl: service.url, apiKey: service.key, folder, schema, updates });
    await until('the service has both', () => service.ledger.length === 2);
    await until('one was answered', () => service.requests({ token: other })[0]?.respondedAt !== undefined);
    await expect(pgliteStore(folder)).rejects.toMatchObject({
      code: 'folder_in_use',
      message: expect.stringContaining('for several processes use PostgreSQL'),
    });
    await until('its answer was stored', () => worker.hasSettled(done));
    await worker.kill();

    const outbox = await open({ store: await pgliteStore(folder) });
    expect(await outbox.status(sent)).toMatchObject({ state: 'sending' });
    await outbox.work();
    await reaches(outbox, sent, 'parked');
    await outbox.drain();
    expect(await outbox.status(sent)).toMatchObject({ code: 'left_behind' });
    expect(await outbox.status(done)).toMatchObject({ state: 'applied', attempts: 1 });
    expect(await outbox.status(behind)).toMatchObject({ state: 'queued' });
    expect(service.journal).toHaveLength(2);
    await outbox.close();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

onBoth('takes up a lane whose job was lost', async ({ open, service, sql, schema, token }) => {
  const outbox = await open();
  await outbox.enqueue(token, step(1));
  await sql.query(`update ${schema}.lanes set state = 'fed'`);
  await outbox.work();
  await until('it is applied', () => stepsApplied(service, token).length === 1);
});

onBoth('forgets in time what was settled, and nothing that is open', async (scene) => {
  const { open, openStore, service, sql, schema } = scene;
  const [applied = '', rejected = '', parked = '', both = ''] = service.orders.map(({ token }) => token);
  const outbox = await open();
  service.faults.next([{ type: 'none' }, { type: 'status', status: 400 }], { token: rejected });
  service.faults.next({ type: 'status', status: 500 }, { token: parked });
  service.faults.next([{ type: 'none' }, { type: 'status', status: 500 }], { token: both });
  const ids: string[] = [];
  for (const token of [applied, rejected, rejected, parked, both, both])
    ids.push(await outbox.enqueue(token, step(1)));
  const [gone = '', gone3 = '', kept = '', open1 = '', gone2 = '', open2 = ''] = ids;
  await outbox.work();
  await outbox.drain();
  const waiting = await outbox.enqueue(parked, step(2));
  const store = await openStore();
  expect(await sweepSettled(store, schema, { keepSettledMs: 60_000 })).toBeUndefined();
  expect(await outbox.status(gone)).toBeDefined();
  await outbox.close();

  const again = await open({ keepSettledMs: 0 });
  await again.work();
  await until('it is forgotten', async () => (await again.status(gone)) === undefined);
  for (const id of [gone2, gone3]) expect(await again.status(id)).toBeUndefined();
  expect(await again.status(kept)).toMatchObject({ state: 'rejected' });
  for (const id of [open1, open2]) expect(await again.status(id)).toMatchObject({ state: 'parked' });
  expect(await again.status(waiting)).toMatchObject({ state: 'queued' });
  const [left] = await rowsOf<{ events: string; lanes: string }>(
    sql,
    `select (select count(*) from ${schema}.events where update_id = any($1::uuid[])) as events,
       (select string_agg(token, ',' order by token) from ${schema}.lanes) as lanes`,
    [[gone, gone2]],
  );
  expect(Number(left?.events)).toBe(0);
  expect(left?.lanes).toBe([rejected, parked, both].sort().join());
  // An order of which something is left can be decided on, and one that was forgotten begins anew.
  await again.retry(kept);
  await again.enqueue(applied, step(2));
  await again.drain();
  expect(stepsApplied(service, applied)).toEqual([1, 2]);
  expect(stepsApplied(service, rejected)).toEqual([1, 1]);
  await store.close();
});

onBoth('forgets in small batches', async ({ open, openStore, sql, schema, token }) => {
  await open();
  await sql.query(
    `insert into ${schema}.updates (id, token, body, state, settled_at)
     select gen_random_uuid(), $1, '{}', 'applied', clock_timestamp() from generate_series(1, 700)`,
    [token],
  );
  const store = await openStore();
  const after = await sweepSettled(store, schema, { keepSettledMs: 0 });
  expect(Number(after)).toBeGreaterThanOrEqual(500);
  expect(await sweepSettled(store, schema, { keepSettledMs: 0, after })).toBeUndefined();
  const [row] = await rowsOf<{ count: string }>(sql, `select count(*) as count from ${schema}.updates`);
  expect(Number(row?.count)).toBe(0);
  await store.close();
});
