import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };

const root = new URL('../..', import.meta.url);

/** The names under which other releases of zod are installed. */
const lines = Object.keys(manifest.devDependencies).filter((name) => /^zod-\d/.test(name));

test.each(lines)('works the same with %s', { timeout: 300_000 }, async (name) => {
  const { exitCode, output } = await runTestsWith(name);
  expect(exitCode, output).toBe(0);
});

/** Runs the tests that zod-line.config.ts names, with a release line in place of zod. */
function runTestsWith(name: string): Promise<{ readonly exitCode: number | null; readonly output: string }> {
  const vitest = fileURLToPath(new URL('node_modules/vitest/vitest.mjs', root));
  const config = fileURLToPath(new URL('../zod-line.config.ts', import.meta.url));
  const env = { ...process.env, ZOD_LINE: name };
  return new Promise((resolve) => {
    const args = [vitest, 'run', '--config', config];
    const child = execFile(process.execPath, args, { env, timeout: 290_000 }, (_error, output, errors) =>
      resolve({ exitCode: child.exitCode, output: output + errors }),
    );
  });
}
