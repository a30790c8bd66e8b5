import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

test('the whole package costs a browser at most 1,000 bytes gzip', async () => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../src/index.ts', import.meta.url))],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
  });
  const [bundle] = outputFiles;
  expect(gzipSync(bundle?.contents ?? '', { level: 9 }).length).toBeLessThanOrEqual(1_000);
  expect(bundle?.contents.length).toBeGreaterThan(500);
});
