import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { parseModule, readModules } from './architecture-modules.ts';
import {
  clientLayers,
  findCycles,
  findNodeIn,
  findReached,
  findTrespassing,
  findUndeclared,
  findUnnamedExports,
  findUpwardImports,
  findVagueNames,
  findWrongWays,
} from './architecture-rules.ts';

const root = join(import.meta.dirname, '..');
const modules = readModules(root);
const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');

test('packages import each other one way', () => {
  expect(findWrongWays(modules)).toEqual([]);
});

test('what is imported is declared in package.json', () => {
  expect(findUndeclared(root, modules)).toEqual([]);
});

test('no file reaches into another package or app by its path', () => {
  expect(findTrespassing(modules)).toEqual([]);
});

test.each(['packages/schema', 'packages/auth'])('%s imports nothing of Node', (room) => {
  expect(findNodeIn(room, modules)).toEqual([]);
});

test('the client over fetch loads nothing of Node and not undici', () => {
  expect(findReached(modules, 'packages/client/src/fetch.ts', /^(node:|undici)/)).toEqual([]);
});

test('the layers of a call import only from below', () => {
  expect(findUpwardImports(modules)).toEqual([]);
});

test('imports make no cycle, types included', () => {
  expect(findCycles(modules)).toEqual([]);
});

test('no file is named for nothing', () => {
  expect(findVagueNames(modules)).toEqual([]);
});

test('exports are named', () => {
  expect(findUnnamedExports(modules)).toEqual([]);
});

test('every layer is a file of the client, and there are modules to check', () => {
  const files = new Set(modules.map(({ file }) => file));
  expect(clientLayers.flat().filter((name) => !files.has(`packages/client/src/${name}.ts`))).toEqual([]);
  expect(modules.length).toBeGreaterThan(300);
});

test('the page names every package, every app and every layer', () => {
  const rooms = globSync('{packages,apps}/*/package.json', { cwd: root }).map((path) =>
    basename(dirname(path)),
  );
  const missing = [...rooms, ...clientLayers.flat()].filter((name) => !page.includes(`\`${name}\``));
  expect(missing).toEqual([]);
});

const client = 'packages/client/src';

test.each<readonly [rule: string, find: typeof findCycles, file: string, source: string]>([
  ['a wrong way', findWrongWays, 'packages/schema/src/a.ts', `import { a } from '@orders/client';`],
  [
    'a wrong way of a type',
    findWrongWays,
    'packages/auth/src/a.ts',
    `import type { A } from '@orders/schema';`,
  ],
  [
    'testing that imports auth',
    findWrongWays,
    'packages/testing/src/a.test.ts',
    `import { a } from '@orders/auth';`,
  ],
  ['a client that needs testing', findWrongWays, `${client}/a.ts`, `export { a } from '@orders/testing/x';`],
  ['a path into another room', findTrespassing, `${client}/a.ts`, `import '../../schema/src/explain.ts';`],
  [
    'Node in schema',
    (all) => findNodeIn('packages/schema', all),
    'packages/schema/src/a.ts',
    `import 'node:fs';`,
  ],
  [
    'Node, loaded later',
    (all) => findNodeIn('packages/auth', all),
    'packages/auth/src/a.ts',
    `await import('fs');`,
  ],
  ['a layer that looks up', findUpwardImports, `${client}/response.ts`, `import { a } from './attempt.ts';`],
  [
    'a part that looks up',
    findUpwardImports,
    `${client}/redact.ts`,
    `import type { A } from './response.ts';`,
  ],
  ['a cycle of one', findCycles, `${client}/a.ts`, `import type { A } from './a.ts';`],
  ['utils', findVagueNames, 'packages/auth/src/utils/a.ts', ''],
  ['types.ts', findVagueNames, 'packages/auth/src/types.ts', ''],
  ['a default export', findUnnamedExports, 'apps/merchant/src/a.ts', 'export default 1;'],
  ['an export of all', findUnnamedExports, `${client}/a.ts`, `export * from './b.ts';`],
  ['an export of all by a name', findUnnamedExports, `${client}/a.ts`, `export * as b from './b.ts';`],
  ['an import that is not declared', (all) => findUndeclared(root, all), `${client}/a.ts`, `import 'zod';`],
  [
    'one that is for tests alone',
    (all) => findUndeclared(root, all),
    `${client}/a.ts`,
    `import 'selfsigned';`,
  ],
])('finds %s', (_rule, find, file, source) => {
  expect(find([parseModule(file, source)])).toHaveLength(1);
});

test('finds a cycle of several files, once', () => {
  const files = ['a', 'b', 'c'].map((name, index, all) =>
    parseModule(`${client}/${name}.ts`, `import './${all[(index + 1) % all.length]}.ts';`),
  );
  const [a, b, c] = files.map(({ file }) => file);
  expect(findCycles(files)).toEqual([`${a} -> ${b} -> ${c} -> ${a}`]);
});

test('finds what is loaded through another file, but not what is a type alone', () => {
  const files = [
    parseModule(`${client}/fetch.ts`, `import type { A } from 'undici';\nimport './b.ts';`),
    parseModule(`${client}/b.ts`, `export { request } from 'undici';`),
  ];
  expect(findReached(files, `${client}/fetch.ts`, /^undici/)).toEqual([`${client}/b.ts imports undici`]);
});

test('what a test needs may be a development dependency', () => {
  const module = parseModule(`${client}/a.test.ts`, `import 'selfsigned';\nimport '@orders/testing';`);
  expect([...findUndeclared(root, [module]), ...findWrongWays([module])]).toEqual([]);
});
