import { execFile } from 'node:child_process';
import { test as nodeTest } from 'node:test';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, expectTypeOf, test } from 'vitest';
import { startIndependentService } from '../../test/conformance/independent-service.ts';
import { startOwnService } from '../../test/conformance/own-service.ts';
import { conformanceCases } from './conformance-cases.ts';
import { type ConformanceTest, registerConformance } from './register-conformance.ts';

// Every case is a test of this very file.
const { service, options } = await startOwnService();
afterAll(() => service.close());
registerConformance(test, options);

test('takes the test of vitest and of node:test as they are', () => {
  expectTypeOf(test).toExtend<ConformanceTest>();
  expectTypeOf(nodeTest).toExtend<ConformanceTest>();
});

/** Keeps what is registered. */
function collect() {
  const tests = new Map<string, () => Promise<void>>();
  const skipped: string[] = [];
  const into = Object.assign((name: string, body: () => Promise<void>) => tests.set(name, body), {
    skip: (name: string) => skipped.push(name),
  });
  return { into, tests, skipped };
}

test('sends nothing before its tests run', async () => {
  const own = await startOwnService();
  await using _ = own.service;
  const { into, tests, skipped } = collect();
  registerConformance(into, own.options);
  expect(own.service.journal).toEqual([]);
  expect([tests.size, skipped]).toEqual([conformanceCases.length, []]);
});

test('names a test for its case, and a skipped one for its reason too', async () => {
  const { into, tests, skipped } = collect();
  registerConformance(into, { ...options, disposable: false, only: ['echo-accepts-key', 'accepts-hooks'] });
  expect([...tests.keys()]).toEqual([
    'echo-accepts-key: An echo with the key as user name and an empty password is accepted',
  ]);
  expect(skipped).toEqual([
    'accepts-hooks: The four hooks together are accepted (could change the order, which is not said to be disposable)',
  ]);
});

test('fails with what was expected and what came', async () => {
  await using wrong = await startIndependentService('refuses-hooks-as-string');
  const { into, tests } = collect();
  registerConformance(into, { ...wrong.options, only: ['refuses-hooks-as-string'] });
  const [body] = tests.values();
  await expect(body?.()).rejects.toThrow(
    'The field hooks is refused when it is a string (interface document, Order; implied)\n' +
      '  expected: refused (4xx)\n  found:    201, Application/JSON; v=2: {"taken":true}',
  );
});

test('fails where a case cannot be judged', async () => {
  const wrong = await startIndependentService();
  await wrong[Symbol.asyncDispose]();
  const { into, tests } = collect();
  registerConformance(into, { ...wrong.options, only: ['echo-accepts-key'] });
  const [body] = tests.values();
  await expect(body?.()).rejects.toThrow('no answer to judge');
});

test('refuses what cannot be used before any test is made', () => {
  const { into, tests } = collect();
  expect(() => registerConformance(into, { ...options, only: ['no-such-case'] })).toThrow(TypeError);
  expect(tests.size).toBe(0);
});

/** Runs a file of `node:test` as its own process. */
function runNodeTest(file: URL): Promise<{ code: unknown; stdout: string }> {
  const words = ['--conditions=@orders/source', '--test', '--test-reporter=tap', fileURLToPath(file)];
  // A run inside of another one reports to it and not in words.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return new Promise((resolve) => {
    execFile(process.execPath, words, { env, timeout: 15_000 }, (error, stdout) =>
      resolve({ code: error === null ? 0 : error.code, stdout }),
    );
  });
}

test('makes tests of node:test that pass, one of them skipped', async () => {
  const { code, stdout } = await runNodeTest(
    new URL('../../test/conformance/node-test-suite.ts', import.meta.url),
  );
  expect(stdout).toMatch(
    new RegExp(`^# pass ${conformanceCases.length - 1}\n# fail 0\n(.*\n)?# skipped 1$`, 'm'),
  );
  expect(code).toBe(0);
});

test('makes a test of node:test that fails, and only that one', async () => {
  const { code, stdout } = await runNodeTest(
    new URL('../../test/conformance/failing-node-test-suite.ts', import.meta.url),
  );
  expect(stdout).toMatch(new RegExp(`^# pass ${conformanceCases.length - 1}\n# fail 1$`, 'm'));
  expect(stdout).toContain('not ok');
  expect(code).toBe(1);
});
