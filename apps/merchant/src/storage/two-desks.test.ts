import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { quickly } from '../../../../.ci/start-quickly.ts';
import { prepareStorageEngines, storageEngines } from '../../test/prepare-storage-engines.ts';
import { openStorage, type StorageOptions } from './open-storage.ts';
import { StorageProblem } from './storage-problem.ts';

const program = fileURLToPath(new URL('../../test/hold-storage.ts', import.meta.url));
const engines = prepareStorageEngines();

function startDesk(place: StorageOptions, ids: readonly string[] = [randomUUID(), randomUUID()]) {
  const child = spawn(
    process.execPath,
    [...quickly.flags, '--conditions=@orders/source', program, JSON.stringify(place), ...ids],
    {
      env: { ...quickly.env, ...process.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 50_000,
      killSignal: 'SIGKILL',
    },
  );
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

test.for(storageEngines)(
  '%s: refuses a second desk, and gives back what the first left when it is killed',
  // Two processes start one after another, maybe on a busy machine.
  { timeout: 60_000 },
  async (engine, context) => {
    const place = await engines.place(engine, context);
    const [queued, sending] = [randomUUID(), randomUUID()];
    const first = startDesk(place, [queued, sending]);
    expect(String((await once(first.stdout, 'data'))[0])).toBe('sending\n');

    const second = startDesk(place);
    const [said, complained] = await Promise.all([text(second.stdout), text(second.stderr)]);
    expect(said).toMatch(/^.* is in use by another desk: end it, or choose another .*\n$/);
    expect(complained).toBe('');

    first.kill('SIGKILL');
    await once(first, 'exit');
    await using storage = await openStorage(place);
    const changes = await storage.updates.recover();

    expect(changes.map(({ update }) => [update.id, update.state])).toEqual([
      [queued, 'not_sent'],
      [sending, 'unknown'],
    ]);
    expect((await storage.updates.listUndecided(10)).map(({ id }) => id)).toEqual([sending]);
    expect((await storage.updates.find(sending))?.report).toMatchObject({ outcome: 'unknown', attempts: 1 });
  },
);

test.for(storageEngines)(
  '%s: refuses a second storage in one process until the first is closed',
  async (engine, context) => {
    const place = await engines.place(engine, context);
    const first = await openStorage(place);
    await expect(openStorage(place)).rejects.toThrow(StorageProblem);
    await first.close();
    await first.close();
    await (await openStorage(place)).close();
  },
);
