/**
 * `pnpm machines`: both commands of the README in fresh clones of the current commit, as they meet them on other people's
 * machines. Everything is in a folder of its own, which is removed afterwards.
 */
import { copyFileSync, mkdirSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs, styleText } from 'node:util';
import {
  type Machine,
  makeMachine,
  networkObstacle,
  type Program,
  type Setup,
  send,
  succeed,
} from './machine.ts';
import { readName, readOptions } from './read-options.ts';

interface Condition extends Setup {
  readonly is: string;
  /** Why this machine cannot have it. */
  readonly obstacle?: () => string | undefined;
}

const root = join(import.meta.dirname, '..');
const logs = join(root, '.turbo/machines');
const isRoot = process.getuid?.() === 0;
const needsRoot = () => (isRoot ? undefined : 'needs root');

const conditions: Readonly<Record<string, Condition>> = {
  user: {
    is: 'an ordinary user with an empty HOME and an empty store',
    emptyStore: true,
    ...(isRoot && { uid: 65_534 }),
  },
  path: { is: 'a path with spaces, quotes and letters', folder: `it's an "où" ışık 注文 folder` },
  umask: { is: 'umask 077', umask: '077' },
  locale: { is: 'Turkish', locale: 'tr_TR.UTF-8' },
  zone: { is: 'Pacific/Chatham, 13:45 from UTC in the southern summer', timeZone: 'Pacific/Chatham' },
  'summer-time': {
    is: 'America/St_Johns, 2:30 from UTC in the northern summer',
    timeZone: 'America/St_Johns',
  },
  'no-git': { is: 'exported, without .git', withoutGit: true },
  offline: {
    is: 'loopback is the only network once the packages are installed',
    offline: true,
    obstacle: networkObstacle,
  },
  root: {
    is: 'root, with a TMPDIR of its own that no other user may enter',
    privateTmp: true,
    obstacle: needsRoot,
  },
  ...Object.fromEntries(
    ['20', '22', '24', '26'].map((node) => [
      `node${node}`,
      { is: `Node ${node} is the first of PATH`, node },
    ]),
  ),
  twice: { is: 'two clones at the same time' },
  stopped: { is: 'signals to `start` and `release` while they build, from a terminal too; without `test`' },
};
/** Conditions that do not hide each other share a machine. */
const all = [
  'user+path+umask+locale+zone+no-git',
  'node20+summer-time',
  'node22',
  'node24',
  'node26',
  'offline',
  'twice',
  'root+umask',
  'stopped',
];
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const stops = [
  { script: 'start', to: 'group', signals },
  // A shell waits for its command at SIGINT, and npx leaves it to the shell.
  { script: 'start', to: 'program', signals: ['SIGTERM', 'SIGHUP'] },
  { script: 'start', to: 'terminal', signals: ['SIGINT'] },
  { script: 'release', to: 'group', signals },
  { script: 'release', to: 'terminal', signals: ['SIGINT'] },
] as const;
const help = `Runs both commands of the README in fresh clones of the current commit, on machines with these conditions:

${Object.entries(conditions)
  .map(([name, { is }]) => `  ${name.padEnd(13)}${is}`)
  .join('\n')}

  --only <machines>  with these conditions instead: \`--only path,user+umask\` is two machines
  --start            without \`test\`, which takes minutes on each machine
  --help             this

Without --only: ${all.join(', ')}.
`;

const values = readOptions(help, readArguments);
const machines = values.only?.split(',') ?? all;

for (const signal of signals) process.on(signal, () => process.exit(128 + constants.signals[signal]));
const counts = { green: 0, red: 0, skipped: 0 };
for (const name of machines) counts[await tryMachine(name)] += 1;
process.stdout.write(`\n${counts.green} green, ${counts.red} red, ${counts.skipped} skipped\n`);
process.exit(counts.red === 0 ? 0 : 1);

function readArguments() {
  const { values } = parseArgs({ options: { only: { type: 'string' }, start: { type: 'boolean' } } });
  for (const name of values.only?.split(/[,+]/) ?? []) readName('--only', name, Object.keys(conditions));
  return values;
}

/** Prints a row of the table, cell by cell. */
async function tryMachine(name: string): Promise<keyof typeof counts> {
  const has = name.split('+');
  const chosen = has.map((each) => conditions[each] ?? { is: each });
  process.stdout.write(`${name.padEnd(36)}`);
  const obstacle =
    process.platform === 'linux'
      ? chosen.map((each) => each.obstacle?.()).find((each) => each !== undefined)
      : 'needs Linux';
  if (obstacle !== undefined) {
    process.stdout.write(`  skipped: ${obstacle}\n`);
    return 'skipped';
  }
  const setup: Setup = Object.assign({}, ...chosen);
  const clones = await Promise.all(
    Array.from({ length: has.includes('twice') ? 2 : 1 }, () => makeMachine(setup)),
  );
  const isGood = has.includes('stopped')
    ? await check('stopped', clones, stopWhileBuilding)
    : (await check('start', clones, startAndStop)) &&
      (values.start || (await check('test', clones, readTotals)));
  process.stdout.write('\n');
  if (isGood) return 'green';
  mkdirSync(logs, { recursive: true });
  for (const [index, { log }] of clones.entries()) {
    const kept = join(logs, `${name}${index === 0 ? '' : `-${index + 1}`}.log`);
    copyFileSync(log, kept);
    process.stdout.write(`  ${chosen.map(({ is }) => is).join('; ')}: ${kept}\n`);
  }
  return 'red';
}

/** Runs one command in all clones at once, and prints what came of it, with the time. */
async function check(
  what: string,
  clones: readonly Machine[],
  run: (machine: Machine) => Promise<string>,
): Promise<boolean> {
  const startedAt = performance.now();
  const results = await Promise.allSettled(
    clones.map(async (machine) => {
      const result = await run(machine);
      const running = await machine.listRunning();
      if (running.length > 0) throw new Error(`still running: ${running.join('; ')}`);
      return result;
    }),
  );
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  const isGood = results.every(({ status }) => status === 'fulfilled');
  const texts = results.map((each) =>
    each.status === 'fulfilled' ? each.value : `red, ${each.reason.message}`,
  );
  process.stdout.write(
    `  ${styleText(isGood ? 'green' : 'red', `${what}: ${texts.join(' / ')}`, { stream: process.stdout })}, ${seconds} s`,
  );
  return isGood;
}

/** Starts the sample app on free ports, opens its page, asks its API, and stops it as Ctrl-C does. */
async function startAndStop({ pnpm, run }: Machine): Promise<string> {
  const app = run(...pnpm, 'start', '--port', '0', '--webhook-port', '0', '--service-port', '0');
  const [, url = ''] = await app.until(/Merchant app\s+(http\S+).*Ctrl-C stops it/s);
  for (const path of ['', '/api/orders']) {
    const get = `const { status } = await fetch('${url}${path}'); if (status !== 200) throw new Error(status)`;
    await succeed(run('node', '--input-type=module', '-e', get), `GET ${path || '/'}`);
  }
  send(app, 'SIGINT', 'group');
  await succeed(app, 'start after SIGINT', 130);
  return 'ok';
}

async function readTotals({ pnpm, run }: Machine): Promise<string> {
  const test = run(...pnpm, 'test');
  const [totals] = await test.until(/^\d+ passed, \d+ failed$/m);
  await succeed(test, `test: ${totals}`);
  return totals;
}

/**
 * Sends signals while a script builds, which is from nothing each time: then nothing of it runs, and what comes after the
 * build has not begun. For `release` that is `changeset publish`, which is a stand-in here.
 */
async function stopWhileBuilding(machine: Machine): Promise<string> {
  const { pnpm, run, listRunning } = machine;
  await succeed(run(...pnpm, 'install', '--frozen-lockfile'), 'pnpm install');
  const standIn =
    'cd node_modules/.bin && rm -f changeset && echo "echo It publishes." > changeset && chmod +x changeset';
  await succeed(run('sh', '-c', standIn), 'making the stand-in of changeset');
  // Nothing is released that links to a placeholder.
  await succeed(run('sed', '-i', 's/[.]example/.test/', 'package.json'), 'filling in where it lives');
  const build = async (script: string, to: (typeof stops)[number]['to']): Promise<Program> => {
    await succeed(run('git', 'clean', '-xdfq', '-e', 'node_modules'), 'git clean');
    const words = [...pnpm, script];
    const program =
      to === 'terminal'
        ? run('script', '--return', '--quiet', '--command', words.join(' '), '/dev/null')
        : run(...words);
    await program.until(/Running build in/);
    return program;
  };
  for (const { script, to, signals } of stops)
    for (const signal of signals) {
      const program = await build(script, to);
      if (to === 'terminal') program.child.stdin?.write('\x03');
      else send(program, signal, to);
      const what = `${script} after ${signal} to the ${to}`;
      await succeed(program, what, 128 + constants.signals[signal]);
      const running = await listRunning();
      if (running.length > 0) throw new Error(`${what}, still running: ${running.join('; ')}`);
      if (/Merchant app|It publishes/.test(program.output())) throw new Error(`${what} has gone on`);
    }
  // What was built by halves is not kept.
  await startAndStop(machine);
  await (await build('release', 'group')).until(/It publishes/);
  return 'ok';
}
