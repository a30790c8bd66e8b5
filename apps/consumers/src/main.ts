/** `pnpm consumers`: packs and publishes the packages to a registry on this machine, and uses them as their users do. */
import { availableParallelism } from 'node:os';
import process from 'node:process';
import { parseArgs, styleText } from 'node:util';
import { readName, readOptions } from '../../../.ci/read-options.ts';
import { breakages } from './breakages.ts';
import {
  createProject,
  type Lab,
  openLab,
  publishPackages,
  type Row,
  readPackages,
  repository,
} from './lab.ts';
import { listProjects } from './projects.ts';
import { rehearseRelease } from './rehearse-release.ts';
import { runProgram } from './run-program.ts';
import { toolsFolder } from './tools.ts';

const help = `pnpm consumers [projects|broken|release] [--only <text>] [--keep]

Packs the packages, publishes them to a registry on this machine, and uses them as their users do.

  projects       the projects of users: installers, compilers, bundlers and runtimes; the default
  broken         breaks a package in each way before it is published: the projects that must notice have to fail
  release        the way from one version to the next
  --only <text>  the projects whose name contains the text
  --keep         keeps what was made, and says where

Exits with 0 when all came out as expected, else with 1.
`;
const { command, values } = readOptions(help, () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { only: { type: 'string', default: '' }, keep: { type: 'boolean', default: false } },
  });
  const [what = 'projects', ...more] = positionals;
  if (more.length > 0) throw new Error(`${more[0]}: write one command`);
  const name = readName('command', what, ['projects', 'broken', 'release']);
  return { command: name, values };
});
const commands: Readonly<Record<typeof command, () => Promise<boolean>>> = {
  projects: runProjects,
  broken: runBroken,
  release: async () => rehearseRelease(await openLab(values), say),
};

// An exit by signal kills what runs and removes what was made.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
await prepare();
process.exit((await commands[command]()) ? 0 : 1);

async function prepare(): Promise<void> {
  const options = { cwd: repository, env: process.env, timeoutMs: 15 * 60_000 };
  say('Building the packages …');
  await runProgram(['turbo', 'run', 'build', '--filter=./packages/*'], options);
  // The examples in doc comments, as the reference shows them.
  await runProgram(['pnpm', '--filter', 'docs', 'api'], options);
  say('Installing registry, installers, compilers and bundlers …');
  await runProgram(['pnpm', '--dir', toolsFolder, 'install', '--frozen-lockfile'], options);
}

/** Every project that `--only` finds by a part of its name. */
async function runProjects(): Promise<boolean> {
  const startedAt = performance.now();
  const packages = await readPackages();
  const lab = await openLab(values);
  await publishPackages(lab, packages);
  const results = await runRows(
    listProjects(packages).filter(({ name }) => name.includes(values.only)),
    lab,
  );
  const work = results.filter(({ reason }) => reason === undefined).length;
  for (const { name, reason } of results)
    if (reason) say(`\n${styleText('red', '✗')} ${name}\n    ${indent(reason)}`);
  if (values.keep) say(`The projects are in ${lab.folder}`);
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  say(`\n${work} work, ${results.length - work} do not, ${seconds} s`);
  return results.length > 0 && work === results.length;
}

/** Breaks a package in each way before it is published; the projects that must notice have to fail. */
async function runBroken(): Promise<boolean> {
  const packages = await readPackages();
  let isGood = true;
  for (const { what: broken, noticedBy, ...change } of breakages) {
    say(`\n${broken}`);
    const lab = await openLab(values);
    await publishPackages(lab, packages, change);
    const results = await runRows(
      listProjects(packages).filter(({ name }) => noticedBy.includes(name)),
      lab,
    );
    const unnoticed = results.filter(({ reason }) => reason === undefined);
    for (const { reason = '' } of results) {
      const lines = reason.split('\n');
      say(`    ${lines.find((line) => /cannot|could not|not found|error TS/i.test(line)) ?? lines[0]}`);
    }
    isGood &&= unnoticed.length === 0 && results.length >= noticedBy.length;
  }
  say(isGood ? '\nEvery breakage is noticed.' : '\nA breakage is not noticed.');
  return isGood;
}

interface Result {
  readonly name: string;
  /** Why it does not work. */
  readonly reason?: string;
}

/** Runs projects, as many at a time as there are cores, and prints each row as it ends. */
async function runRows(rows: readonly Row[], lab: Lab): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = [...rows];
  const worker = async (): Promise<void> => {
    for (let row = waiting.shift(); row; row = waiting.shift()) {
      const project = createProject(lab, row);
      // The first run that awaits it reports a failure.
      project.catch(() => {});
      for (const [run, task] of Object.entries(row.runs)) {
        const name = `${row.name}, ${run}`;
        const startedAt = performance.now();
        const report = (isGood: boolean, note = ''): void => {
          const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1).padStart(5);
          say(
            `${isGood ? styleText('green', '✓') : styleText('red', '✗')} ${seconds} s  ${name}${note && `: ${note}`}`,
          );
        };
        try {
          const note = await task(await project, lab);
          report(true, typeof note === 'string' ? note : '');
          results.push({ name });
        } catch (error) {
          report(false);
          results.push({ name, reason: error instanceof Error ? error.message : String(error) });
        }
      }
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  return results;
}

function indent(text: string): string {
  return text.replaceAll('\n', '\n    ');
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
