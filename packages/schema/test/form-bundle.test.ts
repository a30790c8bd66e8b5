import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

test('a form costs a browser at most 11,000 bytes with the schema, and runs under a strict content policy', async () => {
  const { outputFiles } = await build({
    stdin: {
      contents: `
        import { OrderUpdate } from '@orders/schema';
        import { createFormReader } from '@orders/schema/form';
        globalThis.form = createFormReader(OrderUpdate, { amounts: { decimals: 2 } });
      `,
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
      loader: 'ts',
    },
    bundle: true,
    minify: true,
    write: false,
    platform: 'browser',
    conditions: ['@orders/source'],
  });
  const text = outputFiles.map((file) => file.text).join('');
  expect(gzipSync(text, { level: 9 }).length).toBeLessThanOrEqual(11_000);
  expect(text).toContain('too_many_decimals');
  expect(text).not.toMatch(/node:|\beval\b|\bFunction\s*\(/);
});
