import { defineConfig } from 'vitest/config';

/** The rehearsals, which need the tools and a minute: `pnpm consumers release` runs them, `pnpm test` does not. */
export default defineConfig({
  test: {
    include: ['release/*.test.ts'],
    reporters: ['verbose'],
    testTimeout: 180_000,
    fileParallelism: false,
  },
});
