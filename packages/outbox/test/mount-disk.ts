import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

/** A disk of its own in memory. */
export interface Disk extends AsyncDisposable {
  readonly folder: string;
  /** Whether it can be written to from now on. */
  allowWriting(may: boolean): void;
  /** Writes until nothing more fits. */
  fill(): void;
  /** Deletes what `fill` has written. */
  free(): void;
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
  const filler = join(folder, 'filler');
  return {
    folder,
    fill() {
      const descriptor = openSync(filler, 'w');
      try {
        // A write that does not fit in whole fits in part, and the next one fails.
        for (const bytes = Buffer.alloc(2 ** 20); ; ) writeSync(descriptor, bytes);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        closeSync(descriptor);
      }
    },
    free: () => rmSync(filler),
    allowWriting(may) {
      execFileSync('mount', ['-o', `remount,${may ? 'rw' : 'ro'}`, folder]);
    },
    async [Symbol.asyncDispose]() {
      execFileSync('umount', ['--lazy', folder]);
      await rm(folder, { recursive: true });
    },
  };
}
