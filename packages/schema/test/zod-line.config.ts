import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { testLimitMs } from '../../../.ci/limits.ts';

const conditions = ['@orders/source'];

/** Runs the black-box tests of this package with the zod that ZOD_LINE names: see long/zod-lines.test.ts. */
export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  resolve: {
    conditions,
    alias: [{ find: /^zod(?=\/|$)/, replacement: process.env['ZOD_LINE'] ?? 'zod' }],
  },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    isolate: false,
    include: [
      'src/{json-body,compile,define-order-update,json-schema,order-token}.test.ts',
      'test/{bodies,compiled,zod-lines}.test.ts',
    ],
    testTimeout: testLimitMs,
  },
});
