import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { testLimitMs } from './.ci/limits.ts';
import { LongestFirst } from './.ci/longest-first.ts';
import { quickly } from './.ci/start-quickly.ts';

const root = import.meta.dirname;
const source = ['@orders/source'];
const apart = { outbox: 'packages/outbox', merchant: 'apps/merchant', examples: 'apps/examples' };
// Its tests open outboxes, too.
const chaos = 'apps/experiments/chaos';
const keepPglite = `${apart.outbox}/test/keep-pglite.ts`;

export default defineConfig(({ mode }) => ({
  resolve: { conditions: source },
  ssr: { resolve: { conditions: source, externalConditions: source } },
  test: {
    setupFiles: join(root, '.ci/loopback-only.ts'),
    // A process of its own for each file costs more than most files; what must be alone starts its own.
    isolate: false,
    execArgv: quickly.flags,
    sequence: { sequencer: LongestFirst },
    // Interop and release need more than the root installs, and have a command and a configuration of their own.
    exclude: [
      '**/{node_modules,dist,.turbo,interop,release}/**',
      ...(mode === 'long' ? [] : ['**/test/long/**']),
    ],
    reporters: ['default', ['json', { outputFile: join(root, '.turbo/vitest.json') }]],
    slowTestThreshold: 5_000,
    testTimeout: testLimitMs,
    hookTimeout: testLimitMs,
    teardownTimeout: testLimitMs,
    // Only the time that a test has ends what it waits for.
    expect: { poll: { timeout: testLimitMs } },
    // While developing, a test may print.
    ...(mode === 'ci' && {
      onConsoleLog(log: string) {
        throw new Error(`A test printed: ${log}`);
      },
    }),
    // Those of a project share processes, and what these have imported.
    projects: [
      {
        extends: true,
        test: {
          name: 'outbox',
          include: [`${apart.outbox}/**/*.test.ts`, `${chaos}/*.test.ts`],
          globalSetup: keepPglite,
          // What a database responds with is garbage soon: collecting it less often saves a tenth of the processor time.
          execArgv: [...quickly.flags, '--min-semi-space-size=16'],
          maxConcurrency: mode === 'long' ? 6 : 4,
        },
      },
      {
        extends: true,
        test: {
          name: 'merchant',
          include: [`${apart.merchant}/**/*.test.ts`],
          // Each group of the page begins with an app, a database and a window.
          maxConcurrency: 3,
          globalSetup: [keepPglite, `${apart.merchant}/test/share-postgres.ts`],
        },
      },
      // Hono's server replaces the Response of its process.
      {
        extends: true,
        test: { name: 'examples', include: [`${apart.examples}/**/*.test.ts`], globalSetup: keepPglite },
      },
      {
        extends: true,
        test: {
          name: 'others',
          globalSetup: keepPglite,
          include: ['{packages,apps}/**/*.test.ts', '.ci/*.test.ts'],
          exclude: [...Object.values(apart), chaos].map((folder) => `${folder}/**`),
        },
      },
    ],
  },
}));
