import { globSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { OutboxFirst } from './.ci/outbox-first.ts';
import { quickly } from './.ci/start-quickly.ts';

const root = import.meta.dirname;
const source = ['@orders/source'];
const workspaces = globSync('{packages,apps}/*/package.json', { cwd: root }).map(dirname).sort();
const outbox = join('packages/outbox');
const merchant = join('apps/merchant');

export default defineConfig(({ mode }) => ({
  resolve: { conditions: source },
  ssr: { resolve: { conditions: source, externalConditions: source } },
  test: {
    setupFiles: join(root, '.ci/loopback-only.ts'),
    // A process of its own for each file costs more than most files; what must be alone starts its own.
    isolate: false,
    execArgv: quickly.flags,
    sequence: { sequencer: OutboxFirst },
    // Interop and release need more than the root installs, and have a command and a configuration of their own.
    exclude: [
      '**/{node_modules,dist,.turbo}/**',
      'interop/**',
      'release/**',
      ...(mode === 'long' ? [] : ['test/long/**']),
    ],
    reporters: ['default', ['json', { outputFile: join(root, '.turbo/vitest.json') }]],
    slowTestThreshold: 5_000,
    testTimeout: 60_000,
    // A page that answers a key on a busy machine takes longer than the second that is the default.
    expect: { poll: { timeout: 10_000 } },
    // While developing, a test may print.
    ...(mode === 'ci' && {
      onConsoleLog(log: string) {
        throw new Error(`A test printed: ${log}`);
      },
    }),
    projects: [
      ...workspaces.map((folder) => ({
        extends: true as const,
        test: {
          name: basename(folder),
          root: join(root, folder),
          include: ['**/*.test.ts'],
          ...(folder === merchant && { globalSetup: join(root, folder, 'test/share-postgres.ts') }),
          ...(folder === outbox && { maxConcurrency: mode === 'long' ? 5 : 6 }),
        },
      })),
      { extends: true as const, test: { name: 'root', include: ['.ci/*.test.ts'] } },
    ],
  },
}));
