import { cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOrdersClient } from '@orders/client';
import { createOutbox, type Outbox } from '@orders/outbox';
import { createInbox } from '@orders/outbox/inbox';
import { pgliteStore } from '@orders/outbox/pglite';
import { startMockOrderService } from '@orders/testing';
import { expect, onTestFinished, test } from 'vitest';
import { inFull } from '../../../.ci/in-full.ts';
import { makeFolder } from './make-folder.ts';
import { onPostgres, type Scene, step, stepsApplied } from './scene.ts';

/** How many updates are applied after the backup was made. */
const later = inFull ? 500 : 50;
/** The same in a folder, where each takes longer. */
const more = inFull ? 500 : 10;

/** Stores updates of some orders, and one more of each that is open when the backup is made. */
async function fill(outbox: Outbox, tokens: readonly string[], first: number, length = later): Promise<void> {
  const items = Array.from({ length }, (_, index) => ({
    token: tokens[index % tokens.length] ?? '',
    update: step(first + Math.floor(index / tokens.length)),
  }));
  await outbox.enqueueAll(items);
}

/** Copies all rows of the outbox between its schemas and others, as a dump and its restore do. */
async function copyRows({ sql, schema }: Scene, way: 'backup' | 'restore'): Promise<void> {
  const { rows } = await sql.query(
    `select n.nspname as schema, c.relname as table, (
       select string_agg(quote_ident(attname), ',') from pg_attribute where attrelid = c.oid and attnum > 0 and attgenerated = '' and not attisdropped
     ) as columns from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
     where n.nspname in ($1::text, $1::text || '_queue') and c.relkind = 'r' and c.relname not in ('migrations', 'version')`,
    [schema],
  );
  const tables = rows as { schema: string; table: string; columns: string }[];
  if (way === 'backup') await sql.query(`create schema ${schema}_backup`);
  for (const { schema: of, table, columns } of tables) {
    const kept = `${schema}_backup."${of}.${table}"`;
    if (way === 'backup') await sql.query(`create table ${kept} as select ${columns} from ${of}."${table}"`);
    else await sql.query(`delete from ${of}."${table}"`);
  }
  if (way === 'backup') return;
  for (const { schema: of, table, columns } of tables)
    await sql.query(
      `insert into ${of}."${table}" (${columns}) select ${columns} from ${schema}_backup."${of}.${table}"`,
    );
  await sql.query(`drop schema ${schema}_backup cascade`);
}

onPostgres('repeats nothing after a backup was restored', async (scene) => {
  const { open, service, token, newSchema: databaseSchema } = scene;
  const tokens = [token, ...Array.from({ length: 4 }, () => service.addOrder())];
  const before = await open({ databaseSchema });
  await fill(before, tokens, 1);
  await copyRows({ ...scene, schema: databaseSchema }, 'backup');
  await before.start();
  await fill(before, tokens, 1 + later / tokens.length);
  expect(await before.drain()).toEqual({ problem: undefined });
  await before.close();
  const sent = service.ledger.length;
  expect(sent).toBe(2 * later);

  await copyRows({ ...scene, schema: databaseSchema }, 'restore');
  const outbox = await open({ databaseSchema });
  expect(await outbox.restored()).toBe(later);
  await outbox.start();
  expect(await outbox.drain()).toEqual({ problem: undefined });
  expect(service.ledger).toHaveLength(sent);
  const [first, ...rest] = await outbox.list({ limit: 10_000 });
  expect([first, ...rest].map((update) => update?.code)).toEqual(Array(later).fill('restored'));
  await outbox.resolve(first?.id ?? '', 'applied');
  await outbox.discard(rest[0]?.id ?? '', { note: 'applied, too' });
  expect(await outbox.restored()).toBe(0);
});

onPostgres('sends nothing again that was refused with the key before a backup', async (scene) => {
  const { open, service, token, reaches } = scene;
  const other = service.orders[1]?.token ?? '';
  for (const each of [token, other]) service.faults.next({ type: 'status', status: 401 }, { token: each });
  const before = await open();
  await before.start();
  const first = await before.enqueue(token, step(1));
  await reaches(before, first, 'rejected');
  await before.close();

  // A person may have sent it again since.
  const outbox = await open();
  await outbox.restored();
  await outbox.start();
  await reaches(outbox, await outbox.enqueue(other, step(1)), 'rejected', 'applied');
  await outbox.drain();
  expect(await outbox.get(first)).toMatchObject({ state: 'rejected' });
  expect(stepsApplied(service, token)).toEqual([]);
});

test.each([
  ['copied', ['copy']],
  // Also when it is opened again.
  ['restored', ['moved', 'moved']],
])('repeats nothing in a folder that was %s, and goes on in one that was moved', async (_, openedAgain) => {
  const base = await mkdtemp(join(tmpdir(), 'orders-outbox-'));
  onTestFinished(() => rm(base, { recursive: true, force: true, maxRetries: 9 }));
  await using service = await startMockOrderService();
  const [token = ''] = service.orders.map((order) => order.token);
  const client = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
  const warnings: string[] = [];
  const handled: string[] = [];
  let isReady = false;

  async function use(
    name: string,
    run: (outbox: Outbox, deliver: (id: string) => Promise<unknown>) => Promise<void>,
  ) {
    const store = await pgliteStore(join(base, name));
    const warn = (message: string): void => void warnings.push(message);
    const inbox = createInbox({
      store,
      verify: (body) => JSON.parse(new TextDecoder().decode(body)),
      id: 'id',
      token: () => token,
      handler: ({ id }) => {
        if (!isReady) throw new Error('not yet');
        handled.push(id);
      },
      warn: (message) => void (message.includes('copy') && warn(message)),
    });
    // Whichever is opened first.
    await inbox.drain();
    await using outbox = await createOutbox({ store, client, warn });
    await run(outbox, async (id) => {
      await inbox.receive(
        new Request('http://shop.example', { method: 'POST', body: JSON.stringify({ id }) }),
      );
      await inbox.drain();
      await store.query('update orders_outbox.events set due_at = clock_timestamp()');
    });
    await inbox.close();
  }
  const copy = (from: string, to: string): Promise<void> =>
    cp(join(base, from), join(base, to), { recursive: true });

  await makeFolder(join(base, 'shop'));
  await use('shop', async (outbox, deliver) => {
    await outbox.enqueueAll([1, 2].map((number) => ({ token, update: step(number) })));
    await deliver('late');
  });
  await copy('shop', 'backup');
  await rename(join(base, 'shop'), join(base, 'moved'));
  await use('moved', async (outbox) => {
    await fill(outbox, [token], 3, more);
    expect(await outbox.drain()).toEqual({ problem: undefined });
  });
  expect(warnings).toEqual([]);
  const sent = stepsApplied(service, token);
  expect(sent).toEqual(Array.from({ length: 2 + more }, (_, index) => index + 1));

  isReady = true;
  if (openedAgain.includes('copy')) await copy('backup', 'copy');
  else {
    // So that the files of the backup get other numbers than those that they replace.
    await copy('moved', 'aside');
    await rm(join(base, 'moved'), { recursive: true });
    await copy('backup', 'moved');
  }
  for (const [index, name] of openedAgain.entries()) {
    await use(name, async (outbox, deliver) => {
      expect(warnings).toHaveLength(1);
      expect(await outbox.drain()).toEqual({ problem: undefined });
      expect(await outbox.list()).toMatchObject([{ code: 'restored' }, { code: 'restored' }]);
      await deliver(`new-${index}`);
    });
  }
  expect(handled).toEqual([]);
  expect(warnings[0]).toContain(
    'is a copy of another folder, or was restored from one: 3 updates and events',
  );
  expect(stepsApplied(service, token)).toEqual(sent);
});

test('notices a backup whose files have the numbers of those that they replace', async () => {
  const base = await mkdtemp(join(tmpdir(), 'orders-outbox-'));
  onTestFinished(() => rm(base, { recursive: true, force: true, maxRetries: 9 }));
  const [shop, backup] = [join(base, 'shop'), join(base, 'backup')];
  await makeFolder(shop);
  const warnings: string[] = [];
  const warn = (message: string): void => void warnings.push(message);
  const store = await pgliteStore(shop);
  const outbox = await createOutbox({ store, warn });
  await outbox.enqueue('ord_1', step(1));
  await outbox.close();
  await cp(shop, backup, { recursive: true });
  await rm(shop, { recursive: true });
  await cp(backup, shop, { recursive: true });
  const restored = await pgliteStore(shop);
  const { identity = { path: shop, device: 0, files: [], bornAt: '0' } } = restored;
  // As ext4 gives them to a folder that is copied there again.
  const files = store.identity?.files ?? [];
  await using again = await createOutbox({ store: { ...restored, identity: { ...identity, files } }, warn });
  expect(warnings).toHaveLength(1);
  expect(await again.list()).toMatchObject([{ code: 'restored' }]);
});
