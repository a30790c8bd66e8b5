import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { insideTestLimitMs } from '../../../.ci/limits.ts';

const run = promisify(execFile);
const compiler = join(
  dirname(
    createRequire(join(import.meta.dirname, '../../../package.json')).resolve('typescript/package.json'),
  ),
  'bin/tsc',
);

/** The errors of the compiler by the name of the file; those of the project itself by ''. */
export async function checkTypes(tsconfig: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const flags = [compiler, '-p', tsconfig, '--pretty', 'false', '--singleThreaded'];
  const { stdout } = await run(process.execPath, flags, {
    cwd: dirname(tsconfig),
    timeout: insideTestLimitMs,
  }).catch((failure: { stdout: string }) => failure);
  return Map.groupBy(
    stdout.split('\n').filter((line) => /error TS\d+/.test(line)),
    (line) => basename(/^(.*?)\(\d+,\d+\): /.exec(line)?.[1] ?? ''),
  );
}
