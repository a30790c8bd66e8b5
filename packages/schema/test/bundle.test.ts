import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

/** What a browser would load for this code: the text, and its size on the wire. */
async function bundle(contents: string): Promise<{ text: string; gzipBytes: number }> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: fileURLToPath(new URL('.', import.meta.url)), loader: 'ts' },
    bundle: true,
    minify: true,
    write: false,
    platform: 'browser',
    conditions: ['@orders/source'],
  });
  const text = outputFiles.map((file) => file.text).join('');
  return { text, gzipBytes: gzipSync(text, { level: 9 }).length };
}

test('an order update costs a browser at most 9,000 bytes, and runs under a strict content policy', async () => {
  const { text, gzipBytes } = await bundle(
    "import { OrderUpdate } from '@orders/schema'; OrderUpdate.parse(globalThis.body);",
  );
  expect(gzipBytes).toBeLessThanOrEqual(9_000);
  expect(text).toContain('shipping_address');
  expect(text).not.toMatch(/node:|\beval\b|\bFunction\s*\(/);
});

const formOf = (imported: string, schema: string) => `
  import { ${imported} } from '@orders/schema';
  import { createFormReader } from '@orders/schema/form';
  globalThis.form = createFormReader(${schema}, { amounts: { decimals: 2 } });
`;

test.each([
  ['a form', 11_000, 'too_many_decimals', formOf('OrderUpdate', 'OrderUpdate')],
  [
    'a form with a definition',
    12_000,
    'too_many_decimals',
    formOf('defineOrderUpdate', "defineOrderUpdate({ totalAmount: 'total' })"),
  ],
  ['the whole package', 11_000, 'shipping_address', "export * from '@orders/schema';"],
])(
  '%s costs a browser at most %i bytes, and runs under a strict content policy',
  async (_, bytes, part, code) => {
    const { text, gzipBytes } = await bundle(code);
    expect(gzipBytes).toBeLessThanOrEqual(bytes);
    expect(text).toContain(part);
    expect(text).not.toMatch(/node:|\beval\b|\bFunction\s*\(/);
  },
);

test('what is not used is not bundled', async () => {
  const { text } = await bundle("import { explain } from '@orders/schema'; explain(globalThis.error);");
  expect(text.length).toBeLessThan(600);
});

test('the check of an order token costs a browser at most 150 bytes, without zod', async () => {
  const { gzipBytes } = await bundle(
    "import { isOrderToken } from '@orders/schema'; globalThis.ok = isOrderToken(globalThis.token);",
  );
  expect(gzipBytes).toBeLessThanOrEqual(150);
});
