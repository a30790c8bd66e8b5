import { defineConfig } from 'vitest/config';
import { loopbackOnly } from './.ci/loopback-only.ts';

const source = ['@orders/source'];

export default defineConfig(({ mode }) => ({
  resolve: { conditions: source },
  ssr: { resolve: { conditions: source, externalConditions: source } },
  test: {
    ...loopbackOnly,
    // A process of its own for each file costs more than most files; what must be alone starts its own.
    isolate: false,
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', '.ci/*.test.ts'],
    reporters: [
      'default',
      ['json', { outputFile: mode === 'chaos' ? '.turbo/vitest-chaos.json' : '.turbo/vitest.json' }],
    ],
    slowTestThreshold: 5_000,
    testTimeout: 20_000,
    // A page that answers a key on a busy machine takes longer than the second that is the default.
    expect: { poll: { timeout: 10_000 } },
    onConsoleLog(log) {
      throw new Error(`A test printed: ${log}`);
    },
  },
}));
