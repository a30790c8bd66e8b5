import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

/** What is unlike the machine of this project's authors. */
export interface Setup {
  /** The user, when root runs this. */
  readonly uid?: number;
  /** The folder of the clone. */
  readonly folder?: string;
  readonly umask?: string;
  readonly locale?: string;
  readonly timeZone?: string;
  /** An exported copy instead of a clone. */
  readonly withoutGit?: boolean;
  /** Loopback is the only network once the packages are installed. */
  readonly offline?: boolean;
  /** Nothing is shared with the caches of pnpm and npm that this machine has. */
  readonly emptyStore?: boolean;
  /** The first Node of PATH: its major version. */
  readonly node?: string;
  readonly privateTmp?: boolean;
}

/** A clone of the current commit, and how commands run in it. */
export interface Machine {
  /** Both streams of all its commands. */
  readonly log: string;
  /** How a person calls pnpm there. */
  readonly pnpm: readonly string[];
  run(...command: readonly string[]): Program;
  /** Waits until nothing that was started there runs, for 30 s at most; resolves with what still runs. */
  listRunning(): Promise<readonly string[]>;
}

/** A command that runs. */
export interface Program {
  readonly child: ChildProcess;
  /** Its exit code, as a shell has it. */
  readonly exitCode: Promise<number>;
  /** What it has printed so far. */
  output(): string;
  /** Resolves when its output matches; rejects when it ends before. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
}

const root = join(import.meta.dirname, '..');
/** No command takes as long, unless it hangs. */
const hangMs = 45 * 60_000;
const passedOn = /^(PATH|CHROME_PATH|POSTGRES_BINARIES|NODE_EXTRA_CA_CERTS|SSL_CERT_.*|(https?|no)_proxy)$/i;
const lab = realpathSync(mkdtempSync(join(tmpdir(), 'orders-machines-')));
// Another user passes through.
chmodSync(lab, 0o711);

// What was started has the folder in its environment, whatever group or parent it has by now.
process.on('exit', () => {
  for (let pids = listPids(lab); pids.length > 0; pids = listPids(lab))
    for (const pid of pids) kill(pid, 'SIGKILL');
  rmSync(lab, { recursive: true, force: true, maxRetries: 5 });
});

/** Makes a clone in a folder of its own, which is removed when this process exits. */
export async function makeMachine(setup: Setup): Promise<Machine> {
  const own = mkdtempSync(join(lab, 'm-'));
  const [clone, home, tmp] = [join(own, setup.folder ?? 'orders'), join(own, 'home'), join(own, 'tmp')];
  for (const folder of [home, tmp]) mkdirSync(folder);
  for (const folder of [own, tmp]) chmodSync(folder, setup.privateTmp ? 0o700 : 0o711);
  const bins = setup.node === undefined ? [] : [await installTool(nodePackage(), setup.node, 'bin')];
  if (setup.offline) bins.push(await installTool('pnpm', '12', '../.bin'));
  const env = { ...environment(setup, bins), ORDERS_MACHINE: own, HOME: home, TMPDIR: tmp };
  const umask = ['sh', '-c', `umask ${setup.umask ?? '022'}; exec "$@"`, 'sh'];
  const log = join(own, 'log.txt');
  const prefix = [...umask];
  const run = (...command: readonly string[]): Program => {
    appendFileSync(log, `\n$ ${command.join(' ')}\n`);
    return startProgram([...prefix, ...command], { cwd: clone, env, uid: setup.uid, gid: setup.uid }, log);
  };

  const copy = setup.withoutGit
    ? 'mkdir "$2" && git -C "$1" archive HEAD | tar -x --no-same-permissions -C "$2"'
    : 'git clone --quiet --no-hardlinks "$1" "$2"';
  const fetched = startProgram([...umask, 'sh', '-c', copy, 'sh', root, clone], { cwd: own, env }, log);
  await succeed(fetched, 'copying the commit');
  if (setup.uid !== undefined) execFileSync('chown', ['-R', `${setup.uid}:${setup.uid}`, own]);
  if (setup.offline) {
    await succeed(run('pnpm', 'install', '--frozen-lockfile'), 'pnpm install');
    prefix.unshift(...(await isolateNetwork()));
  }
  const listRunning = async (): Promise<readonly string[]> => {
    for (let left = 300; left > 0 && listPids(own).length > 0; left -= 1) await delay(100);
    return listPids(own).map((pid) => `${pid} ${readProcess(pid, 'cmdline').replaceAll('\0', ' ')}`);
  };
  return { log, pnpm: setup.offline ? ['pnpm'] : ['npx', '-y', 'pnpm@12'], run, listRunning };
}

/** Sends a signal to the program's process group, as a terminal does, or to the program alone. */
export function send({ child: { pid } }: Program, signal: NodeJS.Signals, to: 'group' | 'program'): void {
  if (pid !== undefined) kill(to === 'group' ? -pid : pid, signal);
}

/** Rejects unless the program exits with this code. */
export async function succeed(program: Program, what: string, expected = 0): Promise<void> {
  const exitCode = await program.exitCode;
  if (exitCode !== expected) throw new Error(`${what} exited with ${exitCode}, not ${expected}`);
}

/** Why the network cannot be taken away here. */
export function networkObstacle(): string | undefined {
  try {
    execFileSync('unshare', [...newNetwork(), 'ip', 'link', 'set', 'lo', 'up'], { stdio: 'pipe' });
    return undefined;
  } catch (error) {
    return `needs unshare and ip, and the right to use them: ${String(error).trim().split('\n').at(-1)}`;
  }
}

function newNetwork(): readonly string[] {
  return process.getuid?.() === 0 ? ['--net'] : ['--map-root-user', '--net'];
}

/** Keeps a network of loopback alone open; resolves with the words before a command that runs in it. */
async function isolateNetwork(): Promise<readonly string[]> {
  const holder = spawn(
    'unshare',
    [...newNetwork(), 'sh', '-c', 'ip link set lo up && echo up && exec sleep infinity'],
    { env: { ...process.env, ORDERS_MACHINE: join(lab, 'network') }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  await once(holder.stdout, 'data');
  const enter = ['nsenter', '--net', '--target', String(holder.pid)];
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  if (uid === 0) return enter;
  // In the namespace it would be root; PostgreSQL and the tests shall see the person.
  const again = ['unshare', '--user', `--map-user=${uid}`, `--map-group=${gid}`];
  return [...enter, '--user', '--preserve-credentials', ...again];
}

function environment({ locale, timeZone, emptyStore }: Setup, bins: readonly string[]): NodeJS.ProcessEnv {
  const given = Object.entries(process.env).filter(([name]) => passedOn.test(name));
  // pnpm puts what this checkout has installed before the PATH of the person.
  const path =
    process.env['PATH']?.split(delimiter).filter((folder) => !folder.includes('node_modules')) ?? [];
  return {
    ...Object.fromEntries(given),
    PATH: [...bins, ...path].join(delimiter),
    LANG: locale ?? 'C.UTF-8',
    ...(locale && { LC_ALL: locale }),
    ...(timeZone && { TZ: timeZone }),
    npm_config_registry: ask('npm', 'config', 'get', 'registry'),
    ...(!emptyStore && {
      npm_config_cache: ask('npm', 'config', 'get', 'cache'),
      pnpm_config_store_dir: ask('pnpm', 'store', 'path'),
    }),
  };
}

function ask(program: string, ...words: readonly string[]): string {
  return execFileSync(program, words, { cwd: root, encoding: 'utf8' }).trim();
}

function nodePackage(): string {
  return `node-linux-${process.arch}`;
}

/** Installs a package beside the clones; resolves with a folder of it. */
async function installTool(name: string, version: string, folder: string): Promise<string> {
  const prefix = join(lab, `${name}-${version}`);
  execFileSync('npm', ['install', '--silent', '--prefix', prefix, `${name}@${version}`], { cwd: lab });
  return join(prefix, 'node_modules', name, folder);
}

function startProgram(
  [program = '', ...words]: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv; uid?: number | undefined; gid?: number | undefined },
  log: string,
): Program {
  const child = spawn(program, words, { ...options, detached: true, stdio: 'pipe' });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      appendFileSync(log, text);
    });
  const hang = setTimeout(() => child.pid && kill(-child.pid, 'SIGKILL'), hangMs);
  let hasEnded = false;
  const closed = once(child, 'close');
  const exitCode = once(child, 'exit').then(async ([code, signal]) => {
    clearTimeout(hang);
    // What it left running may hold its output open.
    await Promise.race([closed, delay(2_000)]);
    hasEnded = true;
    return code ?? 128 + constants.signals[signal as NodeJS.Signals];
  });
  const until = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const found = pattern.exec(output);
      if (found) return found;
      if (hasEnded) throw new Error(`it exited with ${await exitCode} before it printed ${pattern}`);
      await Promise.race([once(child.stdout, 'data'), exitCode]);
    }
  };
  return { child, exitCode, output: () => output, until };
}

/** Processes whose environment names this folder or one in it. */
function listPids(folder: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && readProcess(name, 'environ').includes(`ORDERS_MACHINE=${folder}`))
    .map(Number);
}

function readProcess(pid: number | string, file: 'environ' | 'cmdline'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    // It has ended, or belongs to another user.
    return '';
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}
