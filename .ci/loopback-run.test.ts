import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import process from 'node:process';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const vitest = join(createRequire(import.meta.url).resolve('vitest/package.json'), '../vitest.mjs');

/** Runs vitest on files of tests, each in a process of its own, as a package does. */
async function runTests(...codes: readonly string[]) {
  await mkdir(join(root, '.turbo'), { recursive: true });
  const folder = await mkdtemp(join(root, '.turbo', 'loopback-'));
  try {
    await mkdir(join(folder, 'test'));
    for (const [index, code] of codes.entries()) {
      await writeFile(join(folder, 'test', `${index}.test.ts`), head + code);
    }
    const { exitCode, printed } = await runVitest(folder);
    const { testResults } = JSON.parse(await readFile(join(folder, '.turbo', 'vitest.json'), 'utf8'));
    const files: readonly TestFile[] = testResults;
    const outcomes = files.flatMap(({ assertionResults }) =>
      assertionResults.map(({ title, status }) => [title, status]),
    );
    return {
      exitCode,
      printed,
      files: files.map(({ status }) => status),
      outcomes: Object.fromEntries(outcomes),
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function runVitest(folder: string) {
  const { promise, resolve } = Promise.withResolvers<{ exitCode: unknown; printed: string }>();
  const words = ['run', '--config', join(root, 'vitest.config.ts'), '--root', folder, '--maxWorkers=2'];
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const options = { env: { PATH, NODE_COMPILE_CACHE }, timeout: 50_000 };
  execFile(process.execPath, [vitest, ...words], options, (error, stdout, stderr) =>
    resolve({ exitCode: error?.code ?? 0, printed: stripVTControlCharacters(stdout + stderr) }),
  );
  return promise;
}

interface TestFile {
  readonly status: string;
  readonly assertionResults: readonly { readonly title: string; readonly status: string }[];
}

const head = `
  import { execFile, fork } from 'node:child_process';
  import { once } from 'node:events';
  import { readdirSync, statSync } from 'node:fs';
  import { join } from 'node:path';
  import process from 'node:process';
  import { promisify } from 'node:util';
  import { Worker } from 'node:worker_threads';
  import { afterAll, expect, inject, test, vi } from 'vitest';
  import { expectRefusal } from ${JSON.stringify(join(import.meta.dirname, 'loopback-watch.ts'))};
  const fetching = (host) => "fetch('http://" + host + "').catch(() => {})";
`;

test('a test that swallows a refusal fails, be it its own or of what it started', {
  timeout: 60_000,
}, async () => {
  const { exitCode, printed, outcomes } = await runTests(`
    test('before', () => {});
    test('its own', () => fetch('http://192.0.2.1').catch(() => {}));
    test('of a child', () => promisify(execFile)(process.execPath, ['-e', fetching('192.0.2.2')], { env: {} }));
    test('of a thread', () => once(new Worker(fetching('192.0.2.3'), { eval: true }), 'exit'));
    test('meant', () => expectRefusal(['192.0.2.4'], () => fetch('http://192.0.2.4').catch(() => {})));
    test('meant, and another', () =>
      expectRefusal(['192.0.2.5'], () =>
        Promise.allSettled([fetch('http://192.0.2.5'), fetch('http://192.0.2.6')])));
    test('meant, but nothing refused', () => expectRefusal(['192.0.2.7'], () => {}));
    test.concurrent('meant, beside others', () =>
      expectRefusal(['192.0.2.8'], async () => {
        await fetch('http://192.0.2.8').catch(() => {});
        await new Promise((done) => setTimeout(done, 100));
      }));
    test.concurrent('beside others', () => new Promise((done) => setTimeout(done, 50)));
    test('after', () => {});
  `);
  expect(outcomes).toEqual({
    before: 'passed',
    'its own': 'failed',
    'of a child': 'failed',
    'of a thread': 'failed',
    meant: 'passed',
    'meant, and another': 'failed',
    'meant, but nothing refused': 'failed',
    'meant, beside others': 'passed',
    'beside others': 'passed',
    after: 'passed',
  });
  expect(exitCode).toBe(1);
  expect(printed).toMatch(/Refused:\n {2}connect 192\.0\.2\.1:80 at .*0\.test\.ts:/);
  for (const host of [2, 3, 6]) expect(printed).toContain(`connect 192.0.2.${host}:80`);
});

test('a run fails for what is refused outside its tests', { timeout: 60_000 }, async () => {
  const { exitCode, printed, files, outcomes } = await runTests(`
    afterAll(() => fetch('http://192.0.2.1').catch(() => {}));
    test('any', () => {});
  `);
  expect(outcomes).toEqual({ any: 'passed' });
  expect(files).toEqual(['failed']);
  expect(exitCode).toBe(1);
  expect(printed).toContain('connect 192.0.2.1:80');
});

test('a run fails for what is refused after the last test of a file', { timeout: 60_000 }, async () => {
  const { exitCode, printed, files, outcomes } = await runTests(
    `test('leaves a child', () => {
      const script = 'process.on("message", () => {}).on("disconnect", () => ' + fetching('192.0.2.1') + ')';
      fork('ignored', { execArgv: ['-e', script] });
    });`,
    `test('stays until it has asked', async () => {
      const folder = inject('loopbackRecords');
      const sizes = () => readdirSync(folder).map((file) => statSync(join(folder, file)).size);
      await vi.waitFor(() => expect(Math.max(0, ...sizes())).toBeGreaterThan(0), 15_000);
    });`,
  );
  expect(outcomes).toEqual({ 'leaves a child': 'passed', 'stays until it has asked': 'passed' });
  expect(files).toEqual(['passed', 'passed']);
  expect(exitCode).toBe(1);
  expect(printed).toContain('connect 192.0.2.1:80');
});

test('every package tests with the configuration that has the guard', async () => {
  const scripts = await Promise.all(
    globSync('{packages,apps}/*/package.json', { cwd: root }).map(async (file) => {
      const { scripts = {} } = JSON.parse(await readFile(join(root, file), 'utf8'));
      return Object.values<string>(scripts);
    }),
  );
  const tests = scripts.flat().filter((script) => /\b(?:vitest|node --test)\b/.test(script));
  // The rehearsal of a release installs from a registry, so it is a command of its own and no test.
  const rehearsal = tests.indexOf('vitest run --config release/vitest.config.ts');
  expect(tests.splice(rehearsal, 1)).toHaveLength(1);
  expect(tests.length).toBeGreaterThan(5);
  for (const script of tests) expect(script).toMatch(/^vitest run --config \.\.\/\.\.\/vitest\.config\.ts/);
  expect(globSync('{packages,apps}/*/vitest.*', { cwd: root })).toEqual([]);
});
