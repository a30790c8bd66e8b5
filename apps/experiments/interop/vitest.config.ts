import process from 'node:process';
import { defineConfig } from 'vitest/config';
import type { Reporter } from 'vitest/node';
import { testLimitMs } from '../../../.ci/limits.ts';

/** Ends the run with one line of totals. */
const totals: Reporter = {
  onTestRunEnd(modules, errors, reason) {
    const results = modules.flatMap(({ children }) => [...children.allTests()].map((test) => test.result()));
    const count = (wanted: string): number => results.filter(({ state }) => state === wanted).length;
    // A run can fail without a failed test, for example when a file does not load.
    const failed = count('failed') || (reason === 'passed' && errors.length === 0 ? 0 : 1);
    process.stdout.write(`${count('passed')} passed, ${failed} failed, ${count('skipped')} skipped\n`);
  },
};

export default defineConfig({
  test: {
    setupFiles: `${import.meta.dirname}/../../../.ci/loopback-only.ts`,
    include: ['*.test.ts'],
    reporters: ['verbose', totals],
    // The built packages run as they are, not through Vite.
    server: { deps: { external: [/\/dist\/.+\.js$/] } },
    maxWorkers: 2,
    env: {
      // A proxy would be another machine.
      NO_PROXY: '*',
      no_proxy: '*',
      NO_COLOR: '1',
      REDOCLY_TELEMETRY: 'off',
      REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    },
    testTimeout: testLimitMs,
    hookTimeout: testLimitMs,
  },
});
