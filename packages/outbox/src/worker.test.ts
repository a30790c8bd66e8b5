import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { testPassword } from '../../../.ci/start-postgres.ts';
import { inFull } from '../test/in-full.ts';
import { onBoth, onPostgres, step, stepsApplied, until } from '../test/scene.ts';

onBoth(
  'lets what is on its way end when it closes, and stores it',
  async ({ open, service, token, reaches }) => {
    const outbox = await open();
    service.faults.next({ type: 'latency', ms: 400 });
    await outbox.work();
    const id = await outbox.enqueue(token, step(1));
    const next = await outbox.enqueue(token, step(2));
    await reaches(outbox, id, 'sending');
    const events = (async () => {
      for await (const { kind } of outbox.events()) if (kind === 'retried') return;
    })();
    const draining = outbox.drain();
    const closing = outbox.close();
    await expect(draining).rejects.toMatchObject({ code: 'closed' });
    await expect(outbox.enqueue(token, step(3))).rejects.toMatchObject({ code: 'closed' });
    await expect(outbox.work()).rejects.toMatchObject({ code: 'closed' });
    await Promise.all([closing, outbox.close(), events]);
    const again = await open();
    expect(await again.status(id)).toMatchObject({ state: 'applied' });
    expect(await again.status(next)).toMatchObject({ state: 'queued' });
    await again.work();
    await again.drain();
    expect(stepsApplied(service, token)).toEqual([1, 2]);
  },
);

onBoth('ends what takes longer than the grace, and parks it', async ({ open, service, token, reaches }) => {
  const outbox = await open({ onUnknown: () => new Promise(() => {}) });
  const other = service.orders[1]?.token ?? '';
  service.faults.next({ type: 'stalled_headers' }, { token });
  service.faults.next({ type: 'status', status: 500 }, { token: other });
  await outbox.work();
  const stalled = await outbox.enqueue(token, step(1));
  const undecided = await outbox.enqueue(other, step(2));
  await reaches(outbox, stalled, 'sending');
  await until(
    'the other was answered',
    () => service.requests({ token: other })[0]?.respondedAt !== undefined,
  );
  const begun = performance.now();
  await outbox.close({ graceMs: 50 });
  expect(performance.now() - begun).toBeLessThan(4_000);
  const again = await open();
  expect(await again.status(stalled)).toMatchObject({ state: 'parked', code: 'aborted' });
  expect(await again.status(undecided)).toMatchObject({ state: 'parked', code: 'http_error' });
});

onBoth(
  'sends at once what an idle order is given, by whichever process',
  async ({ open, engine, token, reaches }) => {
    const outbox = await open();
    await outbox.work();
    const giver = engine === 'PostgreSQL' ? await open() : outbox;
    const begun = performance.now();
    for (let number = 0; number < 6; number++) {
      await reaches(giver, await giver.enqueue(token, step(number)), 'applied');
    }
    // Looking by itself, once in a second, would take six.
    expect(performance.now() - begun).toBeLessThan(4_000);
  },
);

/** How long the database is away, in milliseconds. */
const awayMs = inFull ? 30_000 : 2_500;

onPostgres(
  'goes on by itself once a database is back that was away, and loses and repeats nothing',
  async (scene) => {
    const { open, service, postgres, warnings, sql } = scene;
    const outboxes = [await open(), await open()];
    const [outbox] = outboxes as [(typeof outboxes)[0]];
    await Promise.all(outboxes.map((each) => each.work()));
    service.faults.always({ type: 'latency', ms: 50 });
    const told: unknown[] = [];
    const telling = (async () => {
      for await (const { kind, updateId } of outbox.events({ after: 0 })) {
        if (kind === 'applied') told.push(updateId);
        if (told.length === 60) return;
      }
    })();
    const ids: string[] = [];
    const enqueueing = (async () => {
      for (let number = 0; number < 60; number++) {
        const id = randomUUID();
        ids.push(id);
        const token = service.orders[number % 12]?.token ?? '';
        await until('it is accepted', () =>
          outbox.enqueue(token, step(number), { id }).catch((error) => error.code === 'duplicate_id'),
        );
      }
    })();
    await until('some are on their way', () => service.journal.length > 10);
    await postgres.stop();
    await delay(awayMs);
    await postgres.start();
    await enqueueing;
    await until('all is applied', () => service.ledger.length >= 60);
    await outbox.drain();
    await telling;
    expect(told.toSorted()).toEqual(ids.toSorted());
    expect(await outbox.counts()).toMatchObject({ applied: 60, parked: 0 });
    for (const { token } of service.orders) {
      const steps = stepsApplied(service, token).map(Number);
      expect(steps).toEqual(steps.toSorted((a, b) => a - b));
      expect(steps).toHaveLength(5);
    }
    await until('both were told of it', () => warnings.length >= 4);
    // One warning of each outbox, and one that it is over.
    expect(warnings.filter((warning) => warning.includes('does not work'))).toHaveLength(2);
    expect(warnings.filter((warning) => warning.includes('works again'))).toHaveLength(2);
    expect(warnings.join()).not.toContain(testPassword);
    // Both show again that they are there, and at work.
    const { rows } = await sql.query(
      `select from pg_locks where locktype = 'advisory' and objsubid = 2 and granted`,
    );
    expect(rows).toHaveLength(4);
  },
);

onPostgres('closes in time without its database, and parks later what it could not store', async (scene) => {
  const { open, service, postgres, token, reaches, warnings } = scene;
  const outbox = await open();
  service.faults.next({ type: 'latency', ms: 300 }, { token });
  await outbox.work();
  const id = await outbox.enqueue(token, step(1));
  await reaches(outbox, id, 'sending');
  await postgres.stop();
  try {
    await until('the service has answered', () => service.journal[0]?.respondedAt !== undefined);
    const begun = performance.now();
    await outbox.close({ graceMs: 10 });
    expect(performance.now() - begun).toBeLessThan(11_000);
  } finally {
    await postgres.start();
  }
  expect(warnings).toContain('The outbox closed while 1 updates were on their way: they will be parked.');
  const again = await open();
  await again.work();
  await reaches(again, id, 'parked');
});
