import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import * as fetchEntry from '../src/fetch.ts';
import * as mainEntry from '../src/index.ts';

const namesOf = (module: object): string[] => Object.keys(module).sort();

/** What a runtime without Node's modules would load for this code. */
async function bundle(contents: string, platform: 'browser' | 'neutral') {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: import.meta.dirname, loader: 'ts' },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform,
    conditions: ['@orders/source'],
  });
  const text = outputFiles.map((file) => file.text).join('');
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports.map(({ path }) => path));
  return { text, loaded: [...Object.keys(metafile.inputs), ...imports], gzipBytes: gzipSync(text).length };
}

test.each(['browser', 'neutral'] as const)(
  'over fetch, for %s, the client needs no Node and at most 25,400 bytes',
  async (platform) => {
    const { text, loaded, gzipBytes } = await bundle("export * from '../src/fetch.ts';", platform);
    expect(loaded.filter((path) => /undici|^node:/.test(path))).toEqual([]);
    expect(/node:|\beval\b|\bFunction\(|\bBuffer\b/.test(text)).toBe(false);
    expect(gzipBytes).toBeLessThanOrEqual(25_400);
  },
);

test('both entries have the same values, so one declaration file serves both', () => {
  expect(namesOf(fetchEntry)).toEqual(namesOf(mainEntry));
});

test.each(['browser', 'workerd', 'edge-light', 'bun'])(
  'for %s the main entry is that over fetch',
  async (condition) => {
    const { metafile } = await build({
      stdin: {
        contents: "export { createOrdersClient } from '@orders/client';",
        resolveDir: import.meta.dirname,
      },
      bundle: true,
      write: false,
      metafile: true,
      format: 'esm',
      platform: 'neutral',
      conditions: ['@orders/source', condition],
    });
    const inputs = Object.keys(metafile.inputs).join();
    expect(inputs).toContain('src/fetch.ts');
    expect(inputs).not.toMatch(/undici/);
  },
);
