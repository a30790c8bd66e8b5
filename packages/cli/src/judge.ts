import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kill } from 'node:process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { buildOrderUpdate, startMockOrderService } from '@orders/testing';
import { type JudgeCase, judgeCases } from './judge-cases.ts';
import { Claims, type Counts, compareClaims, type GivenUpdate, type Wrong, wrongs } from './judge-claims.ts';
import {
  CommandError,
  type CommandInput,
  describeError,
  type Environment,
  type ExitCode,
  formatNumberOf,
  type Terminal,
} from './terminal.ts';

interface Options {
  readonly case?: readonly string[];
  readonly list?: true;
  readonly orders: number;
  readonly timeout: number;
  readonly limit: number;
}

/** A run of the program, from its start until nothing of it is left. */
interface Run {
  readonly command: readonly string[];
  readonly env: Environment;
  readonly options: Options;
  readonly terminal: Terminal;
  readonly interrupt: AbortSignal;
}

/** What came of a case. */
interface CaseResult extends Counts {
  readonly name: string;
  readonly about: string;
  readonly updates: number;
  /** How many can be settled, unless the program guesses, resends or waits beyond its time limit. */
  readonly knowable: number;
  /** Of a program that reported nothing. */
  readonly exitCode: number | undefined;
  readonly wrong: readonly { readonly kind: Wrong; readonly count: number; readonly first: string }[];
}

const updatesPerOrder = 4;

/** Runs a program against every fault, and compares what it reports of each update with the ledger. @throws CommandError */
export async function runJudge({ args, options, terminal, env }: CommandInput<Options>): Promise<ExitCode> {
  await using elsewhere = await startElsewhere();
  const all = judgeCases(options.timeout, elsewhere.url);
  if (options.list) {
    const list = all.map(({ name, about }) => ({ name, about }));
    await terminal.report(list, () => terminal.table(list.map(({ name, about }) => [name, about])));
    return 0;
  }
  if (args.length === 0)
    throw new CommandError('Which program? Write its command after "--".', 2, {
      hint: 'For example: orders judge -- python3 client.py',
    });
  const unknown = options.case?.find((name) => !all.some((each) => each.name === name));
  if (unknown !== undefined)
    throw new CommandError(`--case: there is no case ${JSON.stringify(unknown)}; --list has them.`, 2);
  const cases = all.filter(({ name }) => options.case?.includes(name) ?? true);

  const run: Run = { command: args, env, options, terminal, interrupt: terminal.catchInterrupt() };
  const progress = await terminal.progress();
  const results: CaseResult[] = [];
  try {
    for (const judged of cases) {
      progress.update(() => `Judging ${judged.name} (${results.length + 1} of ${cases.length})`);
      const judging = judgeCase(judged, run, elsewhere.keysOf);
      results.push(await terminal.waitFor(`the case ${judged.name}`, judging));
      if (run.interrupt.aborted) throw new CommandError('Interrupted: the program was killed.');
    }
  } finally {
    progress.stop();
  }
  const sum = (field: 'updates' | 'knowable' | 'applied' | 'settled' | 'unsettled'): number =>
    results.reduce((total, result) => total + result[field], 0);
  const wrong = countWrongs(results);
  const report = {
    command: args,
    updates: sum('updates'),
    knowable: sum('knowable'),
    applied: sum('applied'),
    settled: sum('settled'),
    unsettled: sum('unsettled'),
    wrong,
    cases: results,
  };
  await terminal.report(report, async () => [
    ...(await terminal.table(results.map((result) => drawCase(result, terminal)))),
    '',
    `${formatNumberOf(results.length, 'case')}, ${formatNumberOf(report.updates, 'update')}: ` +
      `${report.settled} settled${drawKnowable(report)}, ${report.applied} applied, ${report.unsettled} unsettled.`,
    ...Object.entries(wrong).map(([kind, count]) => describeWrong(kind as Wrong, count)),
    ...(Object.keys(wrong).length === 0 ? ['Every report is true.'] : []),
    ...(wrong.no_report && !isAlone(options)
      ? ['With one --case, the standard error of the program is shown.']
      : []),
  ]);
  return Object.keys(wrong).length === 0 ? 0 : 1;
}

const isAlone = (options: Options): boolean => options.case?.length === 1;

function countWrongs(results: readonly CaseResult[]): Readonly<Partial<Record<Wrong, number>>> {
  const counts: Partial<Record<Wrong, number>> = {};
  for (const { kind, count } of results.flatMap(({ wrong }) => wrong))
    counts[kind] = (counts[kind] ?? 0) + count;
  return counts;
}

function describeWrong(kind: Wrong, count: number, first = ''): string {
  const [noun, text] = wrongs[kind];
  return `${formatNumberOf(count, noun)} ${text} (${kind}${first && `; first: ${first}`})`;
}

/** What a program that settles more has guessed, or waited for beyond its time limit. */
function drawKnowable({ updates, knowable }: Pick<CaseResult, 'updates' | 'knowable'>): string {
  return knowable < updates ? ` (${knowable} knowable)` : '';
}

function drawCase(result: CaseResult, terminal: Terminal): string[] {
  const { name, updates, settled, applied, unsettled, invalid, exitCode, wrong } = result;
  const parts = [
    ...Object.entries(invalid).map(
      ([status, count]) => `${formatNumberOf(count, 'invalid request')} (status ${status})`,
    ),
    `${settled} of ${updates} settled${drawKnowable(result)}, ${applied} applied`,
    ...(unsettled > 0 ? [`${unsettled} unsettled`] : []),
    ...(exitCode === undefined ? [] : [`exited with ${exitCode}`]),
    ...wrong.map(({ kind, count, first }) => describeWrong(kind, count, first)),
  ];
  const verdict = wrong.length === 0 ? terminal.style('green', 'true') : terminal.style('red', 'WRONG');
  return [verdict, name, parts.join('; ')];
}

/** Runs the program against a service of its own, with one fault. */
async function judgeCase(
  judged: JudgeCase,
  run: Run,
  keysSentElsewhere: (key: string) => number,
): Promise<CaseResult> {
  const { orders } = run.options;
  const tokens = Array.from({ length: orders }, (_, order) => `ord_${order + 1}`);
  const updates = Array.from({ length: orders * updatesPerOrder }, (_, index): GivenUpdate => {
    const token = tokens[index % orders] ?? '';
    const id = `${token}-${Math.floor(index / orders) + 1}`;
    return { id, token, update: buildOrderUpdate({ order_id: id }) };
  });
  await using service = await startMockOrderService({ orders: tokens });
  run.terminal.addSecret(service.key);
  judged.prepare(service, tokens);

  const found = new Map<Wrong, { count: number; readonly first: string }>();
  const note = (kind: Wrong, first = ''): void => {
    const known = found.get(kind);
    if (known) known.count += 1;
    // A part of a key could not be recognized later.
    else found.set(kind, { count: 1, first: run.terminal.redact(first).slice(0, 80) });
  };
  const claims = new Claims(updates, note);
  let exitCode: number | undefined;
  const folder = await mkdtemp(join(tmpdir(), 'orders-judge-'));
  try {
    const file = join(folder, 'updates.ndjson');
    await writeFile(file, updates.map((update) => `${JSON.stringify(update)}\n`).join(''));
    const env = {
      ...withoutProxies(run.env),
      ORDERS_BASE_URL: service.url,
      ORDERS_API_KEY: service.key,
      ORDERS_FILE: file,
      ORDERS_TIMEOUT_MS: String(run.options.timeout),
    };
    const ended = await runProgram({ ...run, env }, (line) => claims.read(line, service.journal.length));
    if (ended === 'hung') note('hung');
    else if (typeof ended === 'string') note('signal', ended);
    else if (claims.all.size === 0) exitCode = ended;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  // Requests whose bytes are here already are accepted in one turn of the event loop and read in the next.
  for (let turn = 0; turn < 5; turn++) await delay(10);
  const { journal, ledger } = service;
  const counts = compareClaims({ updates, claims, journal, ledger, judged }, note);
  for (let sent = keysSentElsewhere(service.key); sent > 0; sent--) note('key_elsewhere');
  const wrong = [...found].map(([kind, { count, first }]) => ({ kind, count, first }));
  const { name, about, isKnowable } = judged;
  const knowable = updates.length - (isKnowable ? 0 : orders);
  return { name, about, updates: updates.length, knowable, ...counts, exitCode, wrong };
}

/** Runs the program until it has ended and closed its output, or kills it and reads no more; resolves with how it ended. */
async function runProgram(
  { command: [file = '', ...args], env, options, terminal, interrupt }: Run,
  onLine: (line: string) => void,
): Promise<NodeJS.Signals | 'hung' | number> {
  // The listener below would not be called any more.
  if (interrupt.aborted) return 'SIGKILL';
  // A process group of its own, so that all of it can be killed.
  const child = spawn(file, args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const killAll = (): void => {
    if (child.pid === undefined) return;
    try {
      kill(-child.pid, 'SIGKILL');
    } catch {
      // There are no groups on Windows.
      child.kill('SIGKILL');
    }
  };
  createInterface(child.stdout).on('line', onLine);
  createInterface(child.stderr).on('line', (line) => void (isAlone(options) && terminal.note(line)));
  const giveUp = async (): Promise<void> => {
    killAll();
    // What was printed is here, and is read in the next turns of the event loop.
    for (let turn = 0; turn < 5; turn++) await delay(10);
    // A process that left the group may hold its output open for long.
    child.stdout.destroy();
    child.stderr.destroy();
  };
  let isHung = false;
  const timer = setTimeout(() => {
    isHung = true;
    void giveUp();
  }, options.limit);
  interrupt.addEventListener('abort', giveUp);
  try {
    const [code, signal] = (await once(child, 'close')) as [number, NodeJS.Signals | null];
    return isHung ? 'hung' : (signal ?? code);
  } catch (error) {
    throw new CommandError(`Cannot run ${JSON.stringify(file)}: ${describeError(error)}.`);
  } finally {
    clearTimeout(timer);
    interrupt.removeEventListener('abort', giveUp);
    // What it left behind would go on sending.
    killAll();
  }
}

/** All traffic stays on this machine, whatever proxy the environment names. */
function withoutProxies(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/proxy/i.test(name)));
}

/** Another host, of which redirects are to a sign-in page, and which counts the requests that bring a key. */
async function startElsewhere() {
  const requests: string[] = [];
  const read = async (request: IncomingMessage): Promise<void> => {
    const body = (await request.toArray().catch(() => [])).join('');
    requests.push([request.url, ...request.rawHeaders, body].join('\n'));
  };
  const server = createServer((request, response) => {
    void read(request).finally(() =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Sign in</title>'),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    // Another name than the service's, because clients compare hosts.
    url: `http://localhost:${port}/sign-in`,
    keysOf: (key: string): number => {
      const encoded = Buffer.from(`${key}:`).toString('base64');
      return requests.filter((text) => text.includes(key) || text.includes(encoded)).length;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
