import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

/** A disk of its own in memory. */
export interface Disk extends AsyncDisposable {
  readonly folder: string;
  /** Whether it can be written to from now on. */
  allowWriting(may: boolean): void;
}

/** Mounts a disk; undefined where this process may not. */
export async function mountDisk(megabytes: number): Promise<Disk | undefined> {
  if (process.platform !== 'linux') return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'orders-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=1777`, 'tmpfs', folder], {
      stdio: 'ignore',
    });
  } catch {
    await rm(folder, { recursive: true });
    return undefined;
  }
  return {
    folder,
    allowWriting(may) {
      execFileSync('mount', ['-o', `remount,${may ? 'rw' : 'ro'}`, folder]);
    },
    async [Symbol.asyncDispose]() {
      execFileSync('umount', ['--lazy', folder]);
      await rm(folder, { recursive: true });
    },
  };
}
