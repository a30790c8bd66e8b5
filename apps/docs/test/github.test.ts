import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { conformanceCases } from '@orders/testing/conformance';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '../../..');
const documents = globSync(['*.md', '{packages,apps}/**/README.md', 'apps/docs/pages/**/*.md'], {
  cwd: root,
  exclude: ['apps/docs/pages/api/**', '**/{node_modules,dist}/**'],
});

const readText = (file: string): string =>
  readFileSync(join(root, file), 'utf8').replaceAll(/^```.*?^```$/gms, '');

const headingsOf = (file: string): readonly string[] =>
  [...readText(file).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title);

/** The anchors that GitHub gives the headings of a file; the site gives the same to headings of letters, digits and spaces. */
const anchorsOf = (file: string): readonly string[] =>
  headingsOf(file).map((title) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );

const localLink = /\]\((?!https:)([^)#\s]*)#?([^)\s]*)\)/g;

test.each(documents)('%s can be read on GitHub: its links lead to a file and a heading', (document) => {
  const text = readText(document).replaceAll(/`[^`\n]*`/g, '');
  expect(text).not.toMatch(/^<<<|^:::|^#.*\{#/m);
  const dead = [...text.matchAll(localLink)].filter(([, path = '', anchor = '']) => {
    const file = path === '' ? document : join(dirname(document), path);
    return !existsSync(join(root, file)) || (anchor !== '' && !anchorsOf(file).includes(anchor));
  });
  expect(dead.map(([link]) => link)).toEqual([]);
});

test('the section that a conformance case names is a heading of the API reference', () => {
  const named = new Set(conformanceCases.map(({ source }) => source));
  expect(headingsOf('apps/docs/pages/api-reference.md')).toEqual(expect.arrayContaining([...named]));
  expect(named.size).toBeGreaterThan(1);
});

const promises = [
  ...readFileSync(join(root, 'apps/docs/pages/promises.md'), 'utf8').matchAll(
    /\[`([^\n]+?)`\]\((?:\.\.\/){3}(\S+?)\)/g,
  ),
].map(([, name = '', file = '']) => ({ name, file }));

test.each(promises)('each promise names a test that exists: $name', ({ name, file }) => {
  const text = readFileSync(join(root, file), 'utf8');
  expect([`'${name}`, `\`${name}`].some((start) => text.includes(start))).toBe(true);
});

test('every promise has a test', () => {
  const rows = readFileSync(join(root, 'apps/docs/pages/promises.md'), 'utf8').match(/^\| [A-Z]/gm);
  expect(promises).toHaveLength(rows?.length ?? 0);
  expect(promises.length).toBeGreaterThan(20);
});

/** Commands of pnpm itself that could be taken for scripts; `pnpm version` writes the version of a package. */
const commandsOfPnpm = new Set(['ci', 'config', 'docs', 'home', 'licenses', 'pack', 'publish', 'version']);

test('a script that has the name of a command of pnpm is run by `pnpm run`', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const taken = Object.keys(scripts).filter((name) => commandsOfPnpm.has(name));
  expect(taken).toContain('version');
  const wrong = documents.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/pnpm(?:@\d+)? ([a-z:-]+)/g)]
      .filter(([, name = '']) => taken.includes(name))
      .map(([command]) => `${file}: ${command}`),
  );
  expect(wrong).toEqual([]);
});

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Workflow {
  readonly permissions: object;
  readonly concurrency: object;
  readonly jobs: Readonly<
    Record<
      string,
      { readonly permissions?: object; readonly 'timeout-minutes'?: number; readonly steps: Step[] }
    >
  >;
}

const workflows = globSync('.github/workflows/*.yml', { cwd: root });
const actions = globSync('.github/actions/*/action.yml', { cwd: root });
const readYaml = (file: string) => parse(readFileSync(join(root, file), 'utf8'));

test.each(workflows)('%s grants nothing but what a job lists, and each job ends', (file) => {
  const { permissions, concurrency, jobs }: Workflow = readYaml(file);
  expect({ permissions, concurrency }).toEqual({ permissions: {}, concurrency: expect.any(Object) });
  for (const [name, job] of Object.entries(jobs)) {
    expect(job, name).toMatchObject({
      permissions: expect.any(Object),
      'timeout-minutes': expect.any(Number),
    });
    for (const { uses = '', with: options } of job.steps)
      if (uses.startsWith('actions/checkout@'))
        expect(options, name).toMatchObject({ 'persist-credentials': false });
  }
});

test.each([...workflows, ...actions])('%s names commits of actions, and scripts that exist', (file) => {
  const { jobs = {}, runs } = readYaml(file);
  const steps: Step[] = [runs ?? {}, ...Object.values<Workflow['jobs'][string]>(jobs)].flatMap(
    (part) => part.steps ?? [],
  );
  const actionsUsed = steps.flatMap(({ uses }) => uses ?? []);
  expect(actionsUsed.filter((uses) => !/^(\.\/|[\w-]+\/[\w/-]+@[0-9a-f]{40}$)/.test(uses))).toEqual([]);
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const named = steps.flatMap(({ run = '' }) =>
    [...run.matchAll(/^pnpm (?:run )?([a-z:]+)/gm)].map(([, name = '']) => name),
  );
  expect(named.filter((name) => !(name in scripts) && !['exec', 'install'].includes(name))).toEqual([]);
});
