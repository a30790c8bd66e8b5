import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, fstatSync, openSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import process from 'node:process';
import type { Readable } from 'node:stream';
import './node-version.ts';

/** A file that no other process can lock until this one releases it, or ends in any way. */
export interface FileLock {
  /** Why it is held no longer, once that is so without a release. */
  readonly lostBecause: string | undefined;
  release(): Promise<void>;
}

/** What the process that holds a lock reports once. */
type Report = { readonly held: true } | { readonly busy: boolean; readonly message: string };

/**
 * What holds the lock: an exclusive transaction of SQLite, whose locks the system frees when a process ends, `kill -9` too.
 * A lock whose owner was just killed is waited for, since this process then takes a moment to end. Signals that a terminal
 * or a service manager sends to all processes are for the owner, which may still be storing outcomes.
 */
const holder = `
for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM', 'SIGBREAK']) process.on(signal, () => {});
process.stdin.on('close', () => process.exit()).resume();
const report = (what) => require('node:fs').writeSync(1, JSON.stringify(what) + '\\n');
try {
  const { DatabaseSync } = require('node:sqlite');
  globalThis.lock = new DatabaseSync(process.argv[1]);
  lock.exec('pragma busy_timeout = 1000; pragma journal_mode = memory; begin exclusive; pragma user_version = 1');
  report({ held: true });
} catch (error) {
  report({ busy: error.errcode === 5, message: error.message });
  process.exit();
}`;

/**
 * Locks a file, which is made where there is none; `undefined` when another process has it. It works between containers that
 * share a volume, too.
 *
 * The lock is held by a small Node process of its own, which ends with this one: a lock of POSIX is dropped as soon as its
 * process closes any descriptor of the file, so a backup within this process would free it. Bun, Deno, Electron and single
 * executables run the `node` of the PATH.
 *
 * @throws Error when the file cannot be written to, or that process cannot be started.
 */
export async function lockFile(path: string): Promise<FileLock | undefined> {
  // SQLite would follow a link, and let others open what it makes: a reader can keep everybody from locking a file.
  const { O_RDWR, O_CREAT, O_NOFOLLOW = 0 } = constants;
  const file = openSync(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
  const node = /^node/i.test(basename(process.execPath)) ? process.execPath : 'node';
  const { PATH, LD_LIBRARY_PATH } = process.env;
  // A name such as file:x would be a URI to SQLite.
  const child = spawn(node, ['--title=orders-lock', '--eval', holder, resolve(path)], {
    // Nothing of this process's is for it, such as NODE_OPTIONS or a key.
    env: { PATH, LD_LIBRARY_PATH },
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
  });
  await once(child, 'spawn').catch((error: unknown) => {
    closeSync(file);
    throw error;
  });
  // That it has ended is known by its exit.
  child.stdin.on('error', () => {});
  // Another process can lock a file that has its name since: an open one is compared, whose number no other gets meanwhile.
  const isInPlace = (): boolean => {
    const mine = fstatSync(file);
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.ino === mine.ino && found.dev === mine.dev;
  };
  let isReleased = false;
  let lostBecause: string | undefined;
  const ended = new Promise<void>((resolve) => {
    child.once('exit', (code, signal) => {
      if (!isReleased)
        lostBecause = `the process that held its lock, ${child.pid}, ended (${signal ?? `exit code ${code}`})`;
      resolve();
    });
  });
  const report = await readReport(child.stdout);
  if (report && 'held' in report) {
    // An owner that does not release it may end all the same.
    child.unref();
    return {
      get lostBecause() {
        if (!isReleased && lostBecause === undefined && !isInPlace())
          lostBecause = `its lock ${path} was removed or replaced`;
        return lostBecause;
      },
      async release() {
        if (!isReleased) closeSync(file);
        isReleased = true;
        child.ref();
        child.kill('SIGKILL');
        await ended;
      },
    };
  }
  closeSync(file);
  await ended;
  if (report?.busy) return undefined;
  throw new Error(report?.message ?? lostBecause);
}

function readReport(output: Readable): Promise<Report | undefined> {
  return new Promise((resolve) => {
    let text = '';
    output.on('data', (chunk) => {
      text += String(chunk);
      if (!text.endsWith('\n')) return;
      // Left open, it would keep this process running.
      output.destroy();
      resolve(JSON.parse(text));
    });
    output.once('close', () => resolve(undefined));
  });
}
