import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const repository = join(import.meta.dirname, '..', '..', '..');

/** Copies the repository as it stands, what is not committed included, and installs what building the packages needs. */
export async function copyRepository(folder: string): Promise<void> {
  const { stdout } = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: repository,
    maxBuffer: 64_000_000,
  });
  const files = stdout.split('\0').filter((file) => file !== '' && existsSync(join(repository, file)));
  for (const file of files) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await cp(join(repository, file), join(folder, file));
  }
  await run('git', ['init', '--quiet', '--initial-branch=main'], { cwd: folder });
  const filters = ['--filter', '.', '--filter', './packages/*'];
  await run('pnpm', ['install', '--frozen-lockfile', '--prefer-offline', '--ignore-scripts', ...filters], {
    cwd: folder,
    env: { ...process.env, CI: 'true' },
  });
}
