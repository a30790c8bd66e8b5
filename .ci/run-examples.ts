import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { quickly } from './start-quickly.ts';

const run = promisify(execFile);
const groupProgram = fileURLToPath(new URL('run-group.ts', import.meta.url));

/** Code that is shown to readers, in a file of its own. */
export interface Example {
  /** Examples of one group run in one process, one after another. */
  readonly group: string;
  /** The project that its reader runs it in. */
  readonly folder: string;
  readonly file: string;
}

/** Writes code to a file of a project, beside the project's own modules, so that it resolves what a reader's does. */
export function writeExample(folder: string, name: string, code: string): string {
  const place = join(folder, '.turbo', 'examples');
  mkdirSync(place, { recursive: true });
  const file = join(place, `${name}.ts`);
  writeFileSync(file, code);
  return file;
}

/** Runs an example by itself and resolves with what it printed; rejects when it fails or writes to stderr. */
export async function runExample(
  { folder, file }: Pick<Example, 'folder' | 'file'>,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  return runFile([file], folder, env);
}

/**
 * Runs the examples of each group in one process, one after another, since most of what one takes is importing the
 * packages. Resolves with what an example printed there; with undefined for all of a group whose process failed: run each
 * by itself then, to find which one failed.
 */
export function createGroupRunner(examples: readonly Example[]) {
  const groups = Map.groupBy(examples, ({ group }) => group);
  const running = new Map<string, Promise<ReadonlyMap<string, string>>>();
  return async ({ group, file }: Example): Promise<string | undefined> => {
    const printed = running.get(group) ?? runGroup(groups.get(group) ?? []);
    running.set(group, printed);
    return (await printed).get(file);
  };
}

async function runGroup(examples: readonly Example[]): Promise<ReadonlyMap<string, string>> {
  const files = examples.map(({ file }) => file);
  try {
    const printed: readonly string[] = JSON.parse(
      await runFile([groupProgram, ...files], examples[0]?.folder ?? '', {}),
    );
    return new Map(files.map((file, index) => [file, printed[index] ?? '']));
  } catch {
    return new Map();
  }
}

async function runFile(
  words: readonly string[],
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const { stdout, stderr } = await run(
    process.execPath,
    [...quickly.flags, '--conditions=@orders/source', ...words],
    {
      cwd: folder,
      env: { ...quickly.env, ...process.env, ...env, NO_COLOR: '1' },
      timeout: 60_000,
    },
  );
  if (stderr !== '') throw new Error(`It wrote to stderr: ${stderr}`);
  return stdout;
}
