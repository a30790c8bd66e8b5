import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import process from 'node:process';
import { promisify } from 'node:util';

/** Copies a folder to a place where nothing is. Its files may belong to another user, which Node's `cp` does not keep. */
export async function copyFolder(from: string, to: string): Promise<void> {
  if (process.platform === 'win32') await cp(from, to, { recursive: true });
  else await promisify(execFile)('cp', ['-a', from, to]);
}
