import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { insideTestLimitMs } from '../../../.ci/limits.ts';
import { quickly } from '../../../.ci/start-quickly.ts';

const run = promisify(execFile);
const folder = join(import.meta.dirname, '..');
const groupProgram = fileURLToPath(new URL('run-group.ts', import.meta.url));

/** Code that is shown to readers, in a file of its own. */
export interface Example {
  readonly file: string;
  /** What its reader's prompt adds to the environment. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** Runs an example by itself and resolves with what it printed; rejects when it fails or writes to stderr. */
export async function runExample({ file, env }: Example): Promise<string> {
  return runFile([file], env);
}

/**
 * Runs examples in one process, one after another, since most of what one takes is importing the packages. Resolves with
 * what each printed, by its file. One that failed is missing, and all of them are if their process failed: run those by
 * themselves then, to find which one failed.
 */
export async function runTogether(examples: readonly Example[]): Promise<ReadonlyMap<string, string>> {
  const results = join(folder, '.turbo/printed.json');
  rmSync(results, { force: true });
  try {
    await runFile([groupProgram, JSON.stringify(examples), results]);
    const printed: readonly (string | null)[] = JSON.parse(readFileSync(results, 'utf8'));
    return new Map(
      examples.flatMap(({ file }, index) => {
        const text = printed[index];
        return typeof text === 'string' ? [[file, text] as const] : [];
      }),
    );
  } catch {
    return new Map();
  }
}

async function runFile(words: readonly string[], env: Example['env'] = {}): Promise<string> {
  const { stdout, stderr } = await run(
    process.execPath,
    [...quickly.flags, '--conditions=@orders/source', ...words],
    {
      cwd: folder,
      env: { ...quickly.env, ...process.env, ...env, NO_COLOR: '1' },
      timeout: insideTestLimitMs,
    },
  );
  if (stderr !== '') throw new Error(`It wrote to stderr: ${stderr}`);
  return stdout;
}
