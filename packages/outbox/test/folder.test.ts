import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createOutbox } from '@orders/outbox';
import { pgliteStore } from '@orders/outbox/pglite';
import { expect, onTestFinished, test } from 'vitest';
import { inFull } from '../../../.ci/in-full.ts';
import { quickly } from '../../../.ci/start-quickly.ts';
import { makeFolder } from './make-folder.ts';
import { until } from './scene.ts';

const apart = ['--map-root-user', '--pid', '--kill-child=SIGKILL', '--mount-proc'];
/** What runs a command as a container does, as process 1 that sees no other; nothing where the system does not let it. */
const container = spawnSync('unshare', [...apart, 'true']).status === 0 ? ['unshare', ...apart] : [];

/** A process that accepts updates in a folder and copies it all the time, or one that only tries to lock it. */
function startChild(
  name: 'folder-owner' | 'lock-child',
  args: readonly string[],
  within: readonly string[] = [],
) {
  const script = join(import.meta.dirname, `${name}.ts`);
  const flags = [...quickly.flags, '--conditions=@orders/source'];
  const [program = '', ...words] = [...within, process.execPath, ...flags, script, ...args];
  const child = spawn(program, words, {
    env: { ...process.env, ...quickly.env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child.stdout, 'close');
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += String(chunk);
  });
  return {
    /** What it printed in full lines. */
    lines: () => text.split('\n').slice(0, -1),
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

test('loses nothing in rounds of kill -9, while the folder is read, copied and wanted by another process', {
  timeout: 600_000,
}, async ({ skip }) => {
  if (process.platform === 'win32') return skip('there is no sh');
  const base = await mkdtemp(join(tmpdir(), 'orders-outbox-'));
  onTestFinished(() => rm(base, { recursive: true, force: true, maxRetries: 9 }));
  const folder = join(base, 'outbox');
  await makeFolder(folder);
  const script =
    'while :; do tar cf tar outbox; cp -R outbox copy; cat outbox/lock.sqlite; rm -rf copy; done';
  const reader = spawn('sh', ['-c', script], { cwd: base, stdio: 'ignore' });
  const accepted: string[] = [];
  try {
    for (let round = 1; round <= (inFull ? 10 : 1); round++) {
      const within = round % 2 === 0 ? container : [];
      const owner = await until('the folder is free', async () => {
        const started = startChild('folder-owner', [folder, join(base, 'backup')], within);
        await until('it has opened the folder', () => started.lines().length > 0);
        return started.lines()[0] === 'folder_locked' ? undefined : started;
      });
      await until('it has accepted some', () => owner.lines().length > 5);
      const other = startChild('lock-child', [folder], within);
      await until('it has tried to lock the folder', () => other.lines().length > 0);
      const before = owner.lines().length;
      await until('it has accepted more', () => owner.lines().length > before + 20);
      await owner.kill();
      await other.kill();
      accepted.push(...owner.lines());
      expect(other.lines(), `round ${round}`).toEqual(['locked']);
    }
  } finally {
    reader.kill('SIGKILL');
    await once(reader, 'exit');
    const store = await until('the folder is free', () => pgliteStore(folder));
    const outbox = await createOutbox({ store });
    const stored = new Set((await outbox.list({ states: ['queued'], limit: 100_000 })).map(({ id }) => id));
    const lost = accepted.filter((id) => !stored.has(id));
    await outbox.close();
    expect({ accepted: accepted.length > 0, lost }).toEqual({ accepted: true, lost: [] });
  }
});
