import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { createProject, type Lab, readPackages, repository } from './lab.ts';
import { runProgram } from './run-program.ts';
import { node } from './tools.ts';

/** What a registry holds of a package. */
interface Published {
  readonly 'dist-tags': Readonly<Record<string, string>>;
  readonly versions: Readonly<Record<string, object>>;
}

/**
 * Releases a copy of the repository to the registry: the first pre-release, the next one and the final version after it; installs
 * each and runs it. Rejects when a step fails.
 */
export async function rehearseRelease(lab: Lab, say: (text: string) => void): Promise<boolean> {
  const copy = join(lab.folder, 'repository');
  const run = async (line: string): Promise<string> => {
    const { stdout, stderr } = await runProgram(['sh', '-c', line], {
      cwd: copy,
      env: releaseEnv(lab, copy),
    });
    return stdout + stderr;
  };
  await copyRepository(copy, lab);
  const ofRoot = join(copy, 'package.json');
  const text = await readFile(ofRoot, 'utf8');
  const { scripts } = JSON.parse(text);
  const packages = await readPackages();
  const names = packages.map(({ name }) => name);

  await run(scripts.candidate);
  // It may be what the repository holds already.
  await run('git add --all && git diff --cached --quiet || git commit --quiet --message Version');
  say('✓ pnpm candidate');
  await assert.rejects(run(scripts.release), /Nothing is released while package\.json has placeholders/);
  await writeFile(ofRoot, text.replaceAll(/\b(docs|repository)\.example\b/g, '$1.test'));
  await run('git commit --all --quiet --message Repository');
  say('✓ nothing is released while the repository is a placeholder');
  await run(scripts.release);
  assert.deepEqual(
    (await run('git tag --list'))
      .trim()
      .split('\n')
      .map((tag) => tag.replace(/@[^@]*$/, '')),
    names,
  );
  say('✓ changeset publish');

  await checkRelease('rc', /^\d+\.\d+\.0-rc\.0$/, names);

  await writeFile(join(copy, '.changeset/next.md'), "---\n'@orders/auth': patch\n---\n\nFix the next one.\n");
  await release('git commit --quiet --message Next');
  // Changesets publishes a pre-release as `latest` as long as there is nothing final; what depends on it takes it as it is.
  await checkRelease('latest', /-rc\.1$/, ['@orders/auth']);

  await run('changeset pre exit');
  await release('git commit --quiet --message Exit');
  await checkRelease('latest', /^\d+\.\d+\.\d+$/, names);

  assert.match(await run(scripts.release), /No unpublished projects to publish/);
  assert.equal(await run('git status --porcelain'), '');
  say('✓ another release publishes nothing');
  return true;

  /** Commits, writes the next version and publishes it. */
  async function release(commit: string): Promise<void> {
    await run(`git add --all && ${commit}`);
    await run(scripts.version);
    await run('git add --all && git commit --quiet --message Version');
    await run(scripts.release);
  }

  /** Looks at what the registry has of each package, installs them by their tag, and runs them. */
  async function checkRelease(tag: string, pattern: RegExp, released: readonly string[]): Promise<void> {
    for (const { name, folder } of packages) {
      const response = await fetch(lab.registry + name.replace('/', '%2f'));
      const published = (await response.json()) as Published;
      const { [tag]: version = '' } = published['dist-tags'];
      if (released.includes(name)) assert.match(version, pattern, `${name} was published as ${version}`);
      assert.doesNotMatch(JSON.stringify(published.versions[version]), /workspace:|catalog:/);
      const changelog = await readFile(join(copy, folder.slice(repository.length), 'CHANGELOG.md'), 'utf8');
      assert.ok(changelog.includes(`\n## ${version}\n`), changelog);
      say(`✓ ${name} ${version} has a changelog, and ranges that a registry knows`);
    }
    const project = await createProject(lab, {
      name: `release of ${released.length} as ${tag}`,
      installer: 'npm11',
      dependencies: Object.fromEntries(names.map((name) => [name, tag])),
      fixtures: ['scenario.mjs', 'update.mjs'],
    });
    await project.run([node, 'update.mjs']);
    for (const name of names) {
      const main = name === '@orders/cli' ? 'dist/main.js' : 'dist/index.js';
      for (const file of ['LICENSE', 'README.md', 'CHANGELOG.md', main])
        assert.ok(existsSync(join(project.folder, 'node_modules', name, file)), `${name} has no ${file}`);
    }
    const inClient = (file: string): Promise<string> =>
      readFile(join(project.folder, 'node_modules/@orders/client', file), 'utf8');
    const { version } = JSON.parse(await inClient('package.json'));
    const compiled = await inClient('dist/version.js');
    assert.ok(compiled.includes(`'${version}'`), compiled);
    say(`✓ ${tag} installs by its tag and updates an order, and each package has its licence`);
  }
}

/** Copies the repository as it stands, uncommitted changes included, and installs what building the packages needs. */
async function copyRepository(copy: string, lab: Lab): Promise<void> {
  const options = { cwd: repository, env: process.env };
  const list = ['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  for (const file of (await runProgram(list, options)).stdout.split('\0')) {
    if (file === '' || !existsSync(join(repository, file))) continue;
    await mkdir(dirname(join(copy, file)), { recursive: true });
    await cp(join(repository, file), join(copy, file));
  }
  const filters = ['--filter', '.', '--filter', './packages/*'];
  const install = [
    'pnpm',
    'install',
    '--frozen-lockfile',
    '--prefer-offline',
    '--ignore-scripts',
    ...filters,
  ];
  await runProgram(install, { cwd: copy, env: { ...process.env, CI: 'true' } });
  const commit =
    'git init --quiet --initial-branch=main && git add --all && git commit --quiet --message Start';
  await runProgram(['sh', '-c', commit], { cwd: copy, env: releaseEnv(lab, copy) });
}

/** Nothing of this machine's registries: the release can reach, and publish to, the lab's only. */
function releaseEnv({ env }: Lab, copy: string): NodeJS.ProcessEnv {
  const author = { NAME: 'Releaser', EMAIL: 'releaser@shop.example' };
  return {
    ...env(),
    PATH: [join(copy, 'node_modules/.bin'), process.env['PATH']].join(delimiter),
    // A part of the workspace is installed: a script must not install the rest.
    pnpm_config_verify_deps_before_run: 'false',
    TURBO_TELEMETRY_DISABLED: '1',
    ...Object.fromEntries(
      ['AUTHOR', 'COMMITTER'].flatMap((role) =>
        Object.entries(author).map(([part, value]) => [`GIT_${role}_${part}`, value]),
      ),
    ),
  };
}
