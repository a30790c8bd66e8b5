import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { findOutdatedReports, findUntoldChanges } from './api-guard.ts';

const root = join(import.meta.dirname, '..');

test('every report is what the build says', () => {
  expect(findOutdatedReports(root)).toEqual([]);
}, 120_000);

test('every change since the last release is told by a changeset', async () => {
  expect(await findUntoldChanges(root)).toEqual([]);
});

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

interface Package {
  readonly version?: string;
  readonly released?: string;
  readonly now: string;
}

/** A repository of packages, each with one report, and changesets as `name: level`. */
function buildRepository(packages: Readonly<Record<string, Package>>, changesets: readonly string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), 'api-guard-'));
  folders.push(folder);
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  write('.changeset/config.json', '{}');
  for (const [index, line] of changesets.entries())
    write(`.changeset/${index}.md`, `---\n${line}\n---\n\nChange it.\n`);
  for (const [name, { version = '1.2.3', released, now }] of Object.entries(packages)) {
    write(`packages/${name}/package.json`, JSON.stringify({ name, version }));
    write(`packages/${name}/api/index.api.md`, report(now));
    if (released !== undefined) write(`packages/${name}/api/released/index.api.md`, report(released));
  }
  return folder;
}

function report(code: string): string {
  return `## API\n\n\`\`\`ts\n${code}\n\`\`\`\n`;
}

const send = 'export function send(body: string): void;';
const sendAndStop = `${send}\nexport function stop(): void;`;

test.each([
  ['a break', sendAndStop, send, 'major', ['minor', 'patch', 'none']],
  ['an addition', send, sendAndStop, 'minor', ['patch', 'none']],
] as const)('%s passes with the right changeset alone', async (_what, released, now, enough, tooLittle) => {
  const changed = { thing: { released, now } };
  expect(await findUntoldChanges(buildRepository(changed, [`thing: ${enough}`]))).toEqual([]);
  for (const level of tooLittle) {
    expect(await findUntoldChanges(buildRepository(changed, [`thing: ${level}`]))).toHaveLength(1);
  }
  expect(await findUntoldChanges(buildRepository(changed, ['other: major']))).toHaveLength(1);
});

test('says what changed and what to do', async () => {
  const folder = buildRepository({ thing: { released: sendAndStop, now: send } }, ['thing: minor']);
  expect(await findUntoldChanges(folder)).toEqual([
    'thing 1.2.3 needs a major changeset (pnpm changeset), and its changesets say minor:\n  breaking: index.api.md: stop was removed',
  ]);
});

test('before 1.0.0 a minor may break', async () => {
  const changed = { thing: { version: '0.4.0', released: sendAndStop, now: send } };
  expect(await findUntoldChanges(buildRepository(changed, ['thing: minor']))).toEqual([]);
  expect(await findUntoldChanges(buildRepository(changed, ['thing: patch']))).toHaveLength(1);
});

test('a comment needs no changeset', async () => {
  const folder = buildRepository({ thing: { released: send, now: `// @deprecated\n${send}` } });
  expect(await findUntoldChanges(folder)).toEqual([]);
});

test('a package that was never released breaks nobody', async () => {
  expect(await findUntoldChanges(buildRepository({ thing: { version: '0.0.0', now: send } }))).toEqual([]);
});

test('a released package without the reports of its release is an error', async () => {
  await expect(findUntoldChanges(buildRepository({ thing: { now: send } }))).rejects.toThrow(
    'api-release.ts',
  );
});

const cart = (type: string) =>
  `interface Item { readonly price: ${type} }\nexport interface Cart { readonly items: Item[] }`;
const client = `import type { Cart } from 'models';\nexport function send(cart: Cart): void;`;
const shop = `import { send } from 'client';\nexport { send }`;

test('a break in a type breaks the packages whose API is made of it', async () => {
  const packages = {
    models: { released: cart('number'), now: cart('string') },
    client: { released: client, now: client },
    shop: { released: shop, now: shop },
  };
  const told = ['models: major', 'client: major', 'shop: major'];
  const found = await findUntoldChanges(buildRepository(packages, told.slice(0, 1)));
  expect(found).toHaveLength(2);
  expect(found[0]).toContain('send is made of Cart of models, which breaks');
  expect(await findUntoldChanges(buildRepository(packages, told))).toEqual([]);
});

test('a break in a type that a package does not name leaves it alone', async () => {
  const also = 'export function explain(): string;';
  const packages = {
    models: { released: `${cart('number')}\n${also}`, now: cart('number') },
    client: { released: client, now: client },
  };
  expect(await findUntoldChanges(buildRepository(packages, ['models: major']))).toEqual([]);
});
