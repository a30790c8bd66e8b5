/**
 * Sends updates through Debian's nginx, HAProxy and Varnish while something breaks, and compares what the client reports
 * with what the service behind the proxy applied.
 */
import process from 'node:process';
import { parseArgs } from 'node:util';
import { readCount, readOptions } from '../../../.ci/read-options.ts';
import { experiments } from './experiments.ts';
import { isInstalled, type ProxyName } from './proxies.ts';
import { type Call, type Experiment, type Report, runExperiment } from './run-experiment.ts';

const help = `Sends updates through real proxies while something breaks, and compares what the client reports with what the
service applied. A report that contradicts the service's ledger is a lie; so is an update that was sent again after it may
have been applied. Named exceptions are configurations whose effect no client can see: they must lie.

  --only <text>    the experiments whose proxy or name contains the text
  --calls <number> updates in an experiment; 200 by default, at least 100
  --list           prints the experiments and ends
  --help

Of each experiment the table shows how the calls ended ("applied": a 2xx that could not be read), how many updates the
ledger holds, how many calls lied, and how many updates were sent again after they may have been applied.

nginx, haproxy and varnishd are taken from the PATH; what is not installed is skipped.
Ends with 0 when every experiment came out as expected, else with 1; with 2 for a mistake.
`;

/** Experiments at the same time: they wait more than they work. */
const atOnce = 3;
const proxies: readonly ProxyName[] = ['nginx', 'haproxy', 'varnish'];

interface Row {
  readonly experiment: Experiment;
  readonly report?: Report;
  /** Why it did not come out as expected. */
  readonly failures: readonly string[];
}

function read() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      calls: { type: 'string', default: '200' },
      list: { type: 'boolean', default: false },
    },
  });
  const { only, list } = values;
  const wanted = experiments.filter((each) => titleOf(each).toLowerCase().includes(only.toLowerCase()));
  if (wanted.length === 0) throw new Error(`--only ${only}: no experiment has this in its name; see --list`);
  return { wanted, list, calls: readCount('--calls', values.calls, 100) };
}

const titleOf = ({ setup, name }: Experiment): string => `${setup.proxy}: ${name}`;
const liesOf = ({ calls }: Report): readonly Call[] =>
  calls.filter(({ lie, sentAgain }) => lie !== undefined || sentAgain);

async function runRow(experiment: Experiment, calls: number): Promise<Row> {
  try {
    const report = await runExperiment(experiment, calls);
    const { evidence, exception } = experiment;
    const lies = liesOf(report);
    const failures = evidence.filter(({ holds }) => !holds(report)).map(({ missing }) => missing);
    if (exception && lies.length === 0) failures.push('a named exception, but no lie was found');
    if (!exception) failures.push(...lies.slice(0, 3).map(describeLie));
    return { experiment, report, failures };
  } catch (error) {
    return { experiment, failures: [error instanceof Error ? error.message : String(error)] };
  }
}

function describeLie({ id, outcome, lie, applied, attempts }: Call): string {
  const history = attempts.map((each) => `${each.status ?? each.error} ${each.outcome}`);
  return `${id}: ${lie ?? `sent again, ${outcome}`}; applied ${applied} times; attempts: ${history.join(', ')}`;
}

function tableOf(rows: readonly Row[]): string {
  const wide = Math.max(...rows.map(({ experiment }) => titleOf(experiment).length));
  const columns = [
    'calls',
    'success',
    'applied',
    'rejected',
    'not sent',
    'unknown',
    'ledger',
    'lies',
    'again',
  ];
  const head = `${'what happens'.padEnd(wide)}  ${columns.join('  ')}  verdict`;
  const lines = rows.map(({ experiment, report, failures }) => {
    const calls = report?.calls ?? [];
    const outcomes = ['success', 'applied', 'rejected', 'not_sent', 'unknown'] as const;
    const counts = [
      calls.length,
      ...outcomes.map((each) => calls.filter(({ outcome }) => outcome === each).length),
      calls.filter(({ applied }) => applied > 0).length,
      calls.filter(({ lie }) => lie !== undefined).length,
      calls.filter(({ sentAgain }) => sentAgain).length,
    ];
    const cells = columns.map((column, index) => String(counts[index]).padStart(column.length));
    const verdict = failures.length > 0 ? 'FAILED' : experiment.exception ? 'exception' : 'holds';
    return `${titleOf(experiment).padEnd(wide)}  ${cells.join('  ')}  ${verdict}`;
  });
  return [head, ...lines].join('\n');
}

function say(...lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

async function main(): Promise<number> {
  const { wanted, list, calls } = readOptions(help, read);
  if (list) {
    say(...wanted.map(titleOf));
    return 0;
  }

  const startedAt = performance.now();
  const missing = proxies.filter((proxy) => !isInstalled(proxy));
  const waiting = wanted.filter(({ setup }) => !missing.includes(setup.proxy)).values();
  const rows: Row[] = [];
  const worker = async () => {
    for (const experiment of waiting) {
      const row = await runRow(experiment, calls);
      rows.push(row);
      const seconds = ((row.report?.tookMs ?? 0) / 1_000).toFixed(1);
      say(`${row.failures.length > 0 ? '✗' : '✓'} ${titleOf(experiment)}, ${seconds} s`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  rows.sort((a, b) => experiments.indexOf(a.experiment) - experiments.indexOf(b.experiment));

  const usual = rows.filter(({ experiment }) => !experiment.exception);
  const exceptions = rows.filter(({ experiment }) => experiment.exception);
  const failed = rows.filter(({ failures }) => failures.length > 0);
  if (usual.length > 0) say('', tableOf(usual));
  if (exceptions.length > 0)
    say('', 'Named exceptions: no client can see what happened.', '', tableOf(exceptions));
  for (const { experiment } of exceptions)
    say(
      '',
      titleOf(experiment),
      `  ${experiment.exception?.why}`,
      `  Instead: ${experiment.exception?.instead}.`,
    );
  for (const { experiment, failures } of failed)
    say('', `✗ ${titleOf(experiment)}`, ...failures.map((failure) => `  ${failure}`));
  for (const proxy of missing) say('', `${proxy} is not installed: its experiments are skipped.`);
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  const callCount = rows.reduce((sum, { report }) => sum + (report?.calls.length ?? 0), 0);
  say(
    '',
    `${usual.length} experiments and ${exceptions.length} named exceptions, ${callCount} calls in ${seconds} s: ${failed.length} failed`,
  );
  return failed.length === 0 ? 0 : 1;
}

// A signal ends this process as an error would, so that the proxies end with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

process.exitCode = await main();
