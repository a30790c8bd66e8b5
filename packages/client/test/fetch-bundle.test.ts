import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import * as undici from 'undici';
import { expect, test } from 'vitest';
import * as fetchEntry from '../src/fetch.ts';
import * as insteadEntry from '../src/fetch-instead.ts';
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

test.each([
  ['browser', "export * from '../src/fetch.ts';", 20_000],
  ['neutral', "export * from '../src/fetch.ts';", 20_000],
  ['browser', "export { createConnection, updateOrder } from '../src/fetch.ts';", 18_500],
  ['browser', "export { createConnection, echoWithPrivateKey } from '../src/fetch.ts';", 18_500],
] as const)('over fetch, for %s, `%s` needs no Node and at most %d bytes', async (platform, code, bytes) => {
  const { text, loaded, gzipBytes } = await bundle(code, platform);
  expect(loaded.filter((path) => /undici|^node:/.test(path))).toEqual([]);
  expect(/node:|\beval\b|\bFunction\(|\bBuffer\b/.test(text)).toBe(false);
  expect(gzipBytes).toBeLessThanOrEqual(bytes);
});

test('the fetch entry has each name of the main entry but those of undici', () => {
  expect(namesOf(fetchEntry)).toEqual(namesOf(mainEntry).filter((name) => !(name in undici)));
});

test('what stands in for the main entry has each of its names, and says what to import', () => {
  expect(namesOf(insteadEntry)).toEqual(namesOf(mainEntry));
  expect(() => insteadEntry.createOrdersClient()).toThrow('@orders/client/fetch');
  expect(() => insteadEntry.createConnection()).toThrow(TypeError);
  expect(() => Reflect.construct(insteadEntry.Agent, [])).toThrow('@orders/client/fetch');
  expect(insteadEntry.isOrdersError).toBe(mainEntry.isOrdersError);
});

test.each(['browser', 'workerd', 'edge-light', 'bun'])(
  'for %s the main entry is what stands in for it',
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
      conditions: [condition],
      external: ['@orders/schema', '@orders/auth'],
    });
    expect(Object.keys(metafile.inputs).join()).toContain('fetch-instead');
    expect(Object.keys(metafile.inputs).join()).not.toContain('undici');
  },
);
