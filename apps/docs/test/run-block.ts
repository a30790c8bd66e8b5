import { execFile } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs a file as its reader would, in a project that has the packages, and yields what it printed. */
export async function runFile(file: string, env: Readonly<Record<string, string>>): Promise<string> {
  const { stdout, stderr } = await run(process.execPath, ['--conditions=@orders/source', file], {
    cwd: join(import.meta.dirname, '..'),
    env: { ...process.env, ...env, NO_COLOR: '1' },
    timeout: 60_000,
  });
  if (stderr !== '') throw new Error(`It wrote to stderr: ${stderr}`);
  return stdout;
}

/** Whether a text is what a page says; `…` on the page stands for anything on its line. */
export function isAsTold(text: string, told: string): boolean {
  const pattern = told
    .trim()
    .split('…')
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    .join('.*');
  return new RegExp(`^${pattern}$`).test(text.trim());
}
