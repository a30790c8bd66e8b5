import { stdout } from 'node:process';
import {
  type ConformanceOptions,
  type ConformanceReport,
  conformanceCases,
  formatConformance,
  runConformance,
} from '@orders/testing/conformance';
import { type KeyOptions, readKey } from './connection.ts';
import { CommandError, type CommandInput, type ExitCode } from './terminal.ts';

interface Options
  extends KeyOptions,
    Pick<
      ConformanceOptions,
      'disposable' | 'names' | 'currency' | 'shippingAddress' | 'only' | 'skip' | 'allowInsecureHttp'
    > {
  readonly baseUrl?: string;
  readonly token?: string;
  readonly timeout?: number;
  readonly implied?: 'warn' | 'fail';
  readonly list?: true;
}

/** Sends a service what the API documents, and reports which responses conform. @throws CommandError */
export async function runConformanceSuite({
  args: [url],
  options,
  terminal,
  env,
}: CommandInput<Options>): Promise<ExitCode> {
  if (options.list) {
    await terminal.report(conformanceCases, () =>
      conformanceCases.flatMap(({ id, title, source, strength }) => [
        id,
        `  ${title} (${source}, ${strength})`,
      ]),
    );
    return 0;
  }
  const baseUrl = url ?? options.baseUrl;
  if (!baseUrl) throw new CommandError('Which service? Write its URL, or set ORDERS_BASE_URL.', 2);
  const apiKey = await readKey(options, { terminal, env });
  if (apiKey === undefined)
    throw new CommandError('Set ORDERS_API_KEY, or pass --api-key-file or --api-key-command.', 2);
  const otherTypeKey = env['ORDERS_OTHER_API_KEY'];
  for (const key of [apiKey, otherTypeKey]) if (key) terminal.addSecret(key);
  const { token, timeout, implied = 'fail' } = options;
  const { disposable, names, currency, shippingAddress, only, skip, allowInsecureHttp } = options;
  const given = { disposable, names, currency, shippingAddress, only, skip, allowInsecureHttp };
  const progress = await terminal.progress();
  const report = await runConformance({
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    baseUrl,
    apiKey,
    ...(token !== undefined && { orderToken: token }),
    ...(otherTypeKey && { otherTypeKey }),
    ...(timeout !== undefined && { timeoutMs: timeout }),
    onResult: ({ id }) => progress.update(() => `Checking ${id}`),
  })
    .catch((error: unknown) => {
      if (error instanceof TypeError) throw new CommandError(nameFlags(error.message), 2);
      throw error;
    })
    .finally(progress.stop);
  await terminal.report(report, () => {
    const lines = formatConformance(report, { stream: stdout }).split('\n');
    return stdout.isTTY ? terminal.table(lines.map((line) => [line])) : lines;
  });
  return exitCodeOf(report, implied);
}

function exitCodeOf({ results, counts }: ConformanceReport, implied: 'warn' | 'fail'): ExitCode {
  const failures = results.filter(({ verdict }) => verdict === 'fail');
  if (failures.some(({ strength }) => strength === 'stated' || implied === 'fail')) return 1;
  return counts.inconclusive > 0 || counts.pass + counts.fail === 0 ? 3 : 0;
}

/** Messages about options of the function name them as in code. */
function nameFlags(message: string): string {
  const flags: Readonly<Record<string, string>> = {
    apiKey: 'ORDERS_API_KEY',
    otherTypeKey: 'ORDERS_OTHER_API_KEY',
    orderToken: '--token',
    allowInsecureHttp: '--allow-insecure-http',
  };
  return message
    .replace(/^baseUrl\b/, 'The base URL')
    .replace(/\b(?:apiKey|otherTypeKey|orderToken|allowInsecureHttp)\b/g, (name) => flags[name] ?? name)
    .replace(/^(?=(?:disposable|currency|only|skip)\b)/, '--');
}
