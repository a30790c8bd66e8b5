import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createOutbox, type OutboxStore, postgresStore } from '@orders/outbox';
import { createInbox, eventsOf } from '@orders/outbox/inbox';
import { pgliteStore } from '@orders/outbox/pglite';
import { readCount, readName, readOptions } from '../../../.ci/read-options.ts';
import { startPostgres } from '../../../.ci/start-postgres.ts';
import type { ReceiverSettings } from './protocol.ts';
import { Receivers } from './receivers.ts';
import { type Report, runDeliveries, type Size } from './run-deliveries.ts';

const help = `Delivers webhooks to processes with an inbox: repeated, shuffled, late, forged, with odd bodies, while handlers throw and hang,
processes are killed and the database restarts; then looks whether each event took effect once, in the sequence of its order.

  --engine postgres|pglite   repeatable; both by default
  --events <number>          2000 by default
  --deliveries <number>      10000 by default
  --orders <number>          200 by default
  --late <seconds>           how much later some come; 120 by default
  --seed <number>            1 by default

Exits with 0 when nothing was lost, repeated, torn, out of sequence or forged, else with 1; with 2 for a mistake.
`;

const engines = ['postgres', 'pglite'] as const;

function read() {
  const { values } = parseArgs({
    options: {
      engine: { type: 'string', multiple: true, default: [...engines] },
      events: { type: 'string', default: '2000' },
      deliveries: { type: 'string', default: '10000' },
      orders: { type: 'string', default: '200' },
      late: { type: 'string', default: '120' },
      seed: { type: 'string', default: '1' },
    },
  });
  const count = (name: 'events' | 'deliveries' | 'orders' | 'late' | 'seed'): number =>
    readCount(`--${name}`, values[name], name === 'late' ? 0 : 1);
  const chosen = values.engine.map((text) => readName('--engine', text, engines));
  const size = { events: count('events'), deliveries: count('deliveries'), orders: count('orders') };
  return { engines: chosen, ...size, lateMs: 1_000 * count('late'), seed: count('seed') };
}

async function runOn(
  engine: (typeof engines)[number],
  size: Omit<Size, 'killEveryMs'>,
): Promise<Report | undefined> {
  await using started = new AsyncDisposableStack();
  const secret = randomBytes(16).toString('hex');
  const onProgress = (text: string): void => void process.stderr.write(`${engine}: ${text}\n`);
  const failing = { secret, throwing: 0.1, hanging: 0.002 };
  if (engine === 'pglite') {
    const folder = await mkdtemp(join(tmpdir(), 'orders-deliveries-'));
    started.defer(() => rm(folder, { recursive: true, force: true }));
    const receivers = await Receivers.start(1, { place: { folder }, ...failing });
    // It takes a second to open the folder, and its database restarts with it.
    return await runDeliveries(
      { ...size, killEveryMs: 4_000 },
      {
        receivers,
        secret,
        onProgress,
        open: () => handleRest(() => pgliteStore(folder)),
      },
    );
  }
  const postgres = await startPostgres();
  if (!postgres) return undefined;
  started.use(postgres);
  const place: ReceiverSettings['place'] = { connectionString: postgres.connectionString };
  const receivers = await Receivers.start(3, { place, ...failing });
  return await runDeliveries(
    { ...size, killEveryMs: 1_000 },
    {
      receivers,
      secret,
      onProgress,
      async restartDatabase() {
        await postgres.stop();
        await postgres.start();
      },
      open: () => handleRest(async () => postgresStore(place)),
    },
  );
}

/** Opens the database, and handles what the processes have left, as they do. */
async function handleRest(open: () => Promise<OutboxStore>): Promise<OutboxStore> {
  const store = await open();
  const outbox = await createOutbox({ store: { ...store, close: async () => {} } });
  const inbox = createInbox({
    store,
    verify: () => undefined,
    id: 'id',
    token: 'token',
    handler: async ({ id, token }, { tx }) => {
      await tx.query('insert into shop.effects (event, token) values ($1, $2)', [id, token]);
      await outbox.enqueue(token, { cart: { items: [{ sku: id }] } }, { tx });
    },
  });
  for (const { id } of await inbox.list({ limit: 100_000 })) await inbox.retry(id);
  while ((await eventsOf(store).counts()).queued > 0) await delay(100);
  await inbox.close();
  await outbox.close();
  return store;
}

const { engines: chosen, ...size } = readOptions(help, read);
let isKept = true;
for (const engine of chosen) {
  const report = await runOn(engine, size);
  if (!report) {
    process.stdout.write(`${engine}: skipped, since there is none for this platform\n`);
    continue;
  }
  const { lost, repeated, torn, overtaking, forged, statuses, ...counts } = report;
  const faults = { lost, repeated, torn, overtaking, forged };
  isKept &&= Object.values(faults).every((ids) => ids.length === 0);
  const numbers = Object.entries({
    ...counts,
    ...Object.fromEntries(Object.entries(faults).map(([name, ids]) => [name, ids.length])),
  });
  process.stdout.write(
    `${engine}: ${numbers.map(([name, number]) => `${name} ${number}`).join(', ')}; statuses ${JSON.stringify(statuses)}\n`,
  );
  for (const [name, ids] of Object.entries(faults))
    if (ids.length > 0) process.stdout.write(`  ${name}: ${ids.slice(0, 10).join(', ')}\n`);
}
process.exit(isKept ? 0 : 1);
