import { execFileSync } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

/** A disk of its own in memory. */
export interface Disk extends AsyncDisposable {
  readonly folder: string;
}

/** Mounts a disk; undefined where this process may not. */
export async function mountDisk(megabytes: number): Promise<Disk | undefined> {
  if (process.platform !== 'linux') return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'orders-disk-'));
  try {
    const options = `size=${megabytes}m,mode=1777`;
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    await rm(folder, { recursive: true });
    return undefined;
  }
  return {
    folder,
    async [Symbol.asyncDispose]() {
      execFileSync('umount', ['--lazy', folder]);
      await rm(folder, { recursive: true });
    },
  };
}

/** Writes until nothing more fits. */
export function fillDisk(file: string): void {
  const descriptor = openSync(file, 'w');
  try {
    for (;;) writeSync(descriptor, Buffer.alloc(4_096));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(descriptor);
  }
}
