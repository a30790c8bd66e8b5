import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { openWorkFolder } from '../src/machine/work-folder.ts';
import { type PackageName, packageNames } from '../src/packing/package-names.ts';
import { type ReleaseSteps, readReleaseSteps } from './release-steps.ts';
import { copyRepository } from './repository-copy.ts';
import { type Ended, runInShell } from './run-in-shell.ts';
import { startWatchedRegistry, type WatchedRegistry } from './watched-registry.ts';

type Bump = 'patch' | 'minor' | 'major';

/** A copy of the repository with a registry that nobody else has. */
export interface Rehearsal extends AsyncDisposable {
  readonly folder: string;
  /** Its `.npmrc` names the registry. */
  readonly home: string;
  readonly registry: WatchedRegistry;
  readonly steps: ReleaseSteps;
  /** Runs a line at the root of the copy. */
  readonly run: (line: string) => Promise<Ended>;
  /** Runs a line that must end with 0, and gives what it printed. */
  readonly must: (line: string) => Promise<string>;
  readonly commit: (subject: string) => Promise<string>;
  /** Writes a changeset and commits it. */
  readonly change: (bumps: Partial<Record<PackageName, Bump>>, summary: string) => Promise<void>;
  /** The versions that the copy's manifests hold. */
  readonly versions: () => Promise<Record<PackageName, string>>;
}

/** Copies the repository as it stands, and starts a registry for it. */
export async function openRehearsal(): Promise<Rehearsal> {
  await using stack = new AsyncDisposableStack();
  const work = stack.use(await openWorkFolder({ keep: false }));
  const folder = join(work.path, 'repository');
  const home = join(work.path, 'home');
  await mkdir(home);
  await copyRepository(folder);
  const steps = await readReleaseSteps(folder);
  const registry = stack.use(await startWatchedRegistry(work.path));
  const token = `${registry.url.replace('http:', '')}:_authToken=anybody`;
  await writeFile(join(home, '.npmrc'), `registry=${registry.url}\n${token}\n`);

  const env = releaseEnvironment(folder, home);
  const run = (line: string): Promise<Ended> => runInShell(line, { cwd: folder, env });
  const must = async (line: string): Promise<string> => {
    const { code, output } = await run(line);
    if (code !== 0) throw new Error(`${line} ended with ${code}\n${output}`);
    return output;
  };
  const commit = (subject: string): Promise<string> =>
    must(`git add --all && git commit --quiet --message '${subject}'`);
  await commit('Start');
  let changes = 0;
  const opened = stack.move();
  return {
    folder,
    home,
    registry,
    steps,
    run,
    must,
    commit,
    async change(bumps, summary) {
      const lines = Object.entries(bumps).map(([name, bump]) => `'@orders/${name}': ${bump}`);
      const text = ['---', ...lines, '---', '', summary, ''].join('\n');
      changes += 1;
      await writeFile(join(folder, '.changeset', `change-${changes}.md`), text);
      await commit(`Change ${changes}`);
    },
    async versions() {
      const read = packageNames.map(async (name) => [name, (await readManifest(folder, name)).version]);
      return Object.fromEntries(await Promise.all(read));
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Like `openRehearsal`, with every package published as 0.1.0 and nothing waiting to be released. */
export async function openReleased(): Promise<Rehearsal> {
  const rehearsal = await openRehearsal();
  const { folder, must, commit, steps } = rehearsal;
  const waiting = join(folder, '.changeset');
  for (const file of await readdir(waiting)) if (file.endsWith('.md')) await rm(join(waiting, file));
  for (const name of packageNames) {
    await rm(join(folder, 'packages', name, 'CHANGELOG.md'), { force: true });
    const manifest = { ...(await readManifest(folder, name)), version: '0.1.0' };
    await writeFile(manifestOf(folder, name), JSON.stringify(manifest, null, 2));
  }
  await commit('Begin at 0.1.0');
  await must(steps.release);
  return rehearsal;
}

function manifestOf(folder: string, name: PackageName): string {
  return join(folder, 'packages', name, 'package.json');
}

async function readManifest(folder: string, name: PackageName): Promise<{ readonly version: string }> {
  return JSON.parse(await readFile(manifestOf(folder, name), 'utf8'));
}

/** Settings and rights of package managers stay out: nothing here can reach, or publish to, another registry. */
function releaseEnvironment(folder: string, home: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm|pnpm|node_auth|turbo|ci$|github|actions)/i.test(name),
  );
  const path = [join(folder, 'node_modules', '.bin'), dirname(process.execPath), process.env['PATH']];
  return {
    ...Object.fromEntries(kept),
    PATH: path.join(delimiter),
    HOME: home,
    // A part of the workspace is installed, on purpose: a script must not install the rest.
    pnpm_config_verify_deps_before_run: 'false',
    GIT_AUTHOR_NAME: 'Releaser',
    GIT_AUTHOR_EMAIL: 'releaser@shop.example',
    GIT_COMMITTER_NAME: 'Releaser',
    GIT_COMMITTER_EMAIL: 'releaser@shop.example',
    TURBO_TELEMETRY_DISABLED: '1',
  };
}
