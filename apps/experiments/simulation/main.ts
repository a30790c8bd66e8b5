/**
 * `pnpm simulate`: runs the outbox in virtual time, while all that can fail fails, and checks each run against the model. The
 * same seed gives the same run.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { readCount, readOptions } from '../../../.ci/read-options.ts';
// Before all that is imported below, which it takes time and chance from.
import { realSeconds } from './virtual-time.ts';

const help = `pnpm simulate [--seed N] [--steps N | --minutes N] [--mutation NAME] [--print]

Runs the outbox in virtual time, while its database, its service and its processes fail, and checks each run against the model.

  --seed N          Begins with this seed. Without --steps or --minutes, it is the only one, and its run is printed.
                    May be given again: then each is begun with.    [a new one]
  --steps N         Takes at least so many steps from each.         [10,000]
  --minutes N       Goes on for so long, in place of --steps.
  --mutation NAME   Changes the outbox first: the model must notice. "list" prints the names; "all" makes one after the
                    other, each from seed 1 for at most 2,000 seeds, and prints a table.
  --print           Prints every run.
  --help            Prints this.

Exit codes: 0 no promise was broken, or all mutations were noticed; 1 otherwise: the seed, fewer steps that break the promise,
too, and what happened; 2 usage.
`;

/** How many seeds a mutation may take. */
const maxSeeds = 2_000;
const { mutate, mutations } = await import('./mutations.ts');
const { seeds, minutes, steps, mutation, print } = readOptions(help, readArguments);
if (mutation === 'list') {
  process.stdout.write(`${Object.keys(mutations).join('\n')}\n`);
  process.exit(0);
}
if (mutation === 'all') process.exit((await findAll(Object.keys(mutations))) ? 0 : 1);
if (mutation !== undefined) mutate(mutation);
// The first run is enough where a seed alone is given.
const isOne = seeds !== undefined && (minutes ?? steps) === undefined;
const maxSteps = isOne ? 1 : (steps ?? (minutes === undefined ? 10_000 : Number.POSITIVE_INFINITY));
const maxSeconds = 60 * (minutes ?? Number.POSITIVE_INFINITY);

const { Simulator } = await import('./simulator.ts');
const { formatRun } = await import('./report.ts');
const { describe } = await import('./observer.ts');
const simulator = await Simulator.open();
let isKept = true;
for (const seed of seeds ?? [Date.now() % 1_000_000_000]) isKept = (await search(seed)) && isKept;
await simulator.close();
process.exit(isKept ? 0 : 1);

/** Plays the runs of a seed and of those after it. Resolves with whether all promises were kept. */
async function search(seed: number): Promise<boolean> {
  const begunAt = realSeconds();
  const fingerprint = createHash('sha256');
  let [taken, virtualMs, shownAt] = [0, 0, begunAt];
  let broken: number | undefined;
  for (let next = seed; broken === undefined; next++) {
    const { observer, run, elapsedMs } = await simulator.play(next);
    taken += run.steps.length;
    virtualMs += elapsedMs;
    fingerprint.update(JSON.stringify(observer.events));
    if (isOne || print) process.stdout.write(`${formatRun(observer)}\n\n`);
    const [violation] = observer.violations;
    if (violation) {
      broken = next;
      process.stdout.write(`Seed ${next} breaks a promise. ${describe(violation)}\n`);
    }
    if (mutation !== undefined && next - seed + 1 >= maxSeeds) break;
    if (taken >= maxSteps || realSeconds() - begunAt >= maxSeconds) break;
    if (realSeconds() - shownAt < 5) continue;
    shownAt = realSeconds();
    process.stderr.write(`${next - seed + 1} seeds, ${taken} steps\n`);
  }
  const seconds = realSeconds() - begunAt;
  const hours = virtualMs / 3_600_000;
  const run = fingerprint.digest('hex').slice(0, 12);
  process.stdout.write(
    `seed ${seed}: ${taken} steps, ${hours.toFixed(2)} h, run ${run}; ${seconds.toFixed(1)} s, ${(taken / seconds).toFixed(0)} steps a second, ${((60 * hours) / seconds).toFixed(1)} h a minute\n`,
  );
  if (broken === undefined) return true;
  if (isOne || mutation !== undefined) return false;
  process.stderr.write('Looks for fewer steps that break it …\n');
  const shortest = await simulator.shrink(broken);
  process.stdout.write(
    `\n${formatRun(shortest.observer)}\n\npnpm simulate --seed ${broken} prints the whole run.\n`,
  );
  return false;
}

/** Makes each mutation in a process of its own, as many at once as there are processors. Resolves with whether all were noticed. */
async function findAll(names: readonly string[]): Promise<boolean> {
  const left = [...names];
  let missed = 0;
  const find = async (): Promise<void> => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      const args = [...process.execArgv, import.meta.filename, '--mutation', name, '--seed', '1'];
      const printed = await new Promise<string>((resolve) => {
        execFile(process.execPath, [...args, '--steps', '999999999'], (_error, stdout) => resolve(stdout));
      });
      const [, seed, broken] = printed.match(/^Seed (\d+) breaks a promise\. (\w+)/) ?? [];
      if (seed === undefined) missed++;
      process.stdout.write(`${(seed ?? 'never').padStart(5)}  ${(broken ?? '').padEnd(14)} ${name}\n`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, find));
  process.stdout.write(`${names.length - missed} of ${names.length} mutations noticed\n`);
  return missed === 0;
}

function readArguments() {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', multiple: true },
      steps: { type: 'string' },
      minutes: { type: 'string' },
      mutation: { type: 'string' },
      print: { type: 'boolean' },
    },
  });
  const { seed, steps, minutes, mutation, print } = values;
  if (mutation !== undefined && !['list', 'all', ...Object.keys(mutations)].includes(mutation))
    throw new Error(`--mutation ${mutation}: \`--mutation list\` prints those there are`);
  return {
    seeds: seed?.map((text) => readCount('--seed', text, 0)),
    steps: steps === undefined ? undefined : readCount('--steps', steps),
    minutes: minutes === undefined ? undefined : readCount('--minutes', minutes),
    mutation,
    print,
  };
}
