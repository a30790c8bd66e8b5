import { join } from 'node:path';

/** The options of vitest that keep tests, and all that they start, from talking to anything but loopback. */
export const loopbackOnly = {
  // Worker threads and CommonJS children are sure to load this before their own code only by `--require`.
  execArgv: ['--require', join(import.meta.dirname, 'loopback-only.cjs')],
  globalSetup: join(import.meta.dirname, 'loopback-run.ts'),
  setupFiles: join(import.meta.dirname, 'loopback-setup.ts'),
};
