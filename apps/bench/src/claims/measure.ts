import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { versionOf } from '../report.ts';

/** The clients, in the order of the tables. */
const clients = {
  ours: { label: '@orders/client', version: () => versionOf('@orders/client') },
  'by-hand': { label: 'fetch, table by hand', version: () => `Node ${process.versions.node}` },
  fetch: { label: 'fetch', version: () => `Node ${process.versions.node}` },
  got: { label: 'got', version: () => versionOf('got') },
  axios: {
    label: 'axios, axios-retry',
    version: () => `${versionOf('axios')}, ${versionOf('axios-retry')}`,
  },
  ky: { label: 'ky', version: () => versionOf('ky') },
  undici: { label: 'undici, RetryAgent', version: () => versionOf('undici') },
  'stripe-loop': { label: 'loop of stripe-node', version: () => 'as in 23.1.0' },
  'standard-library': {
    label: 'Python’s urllib',
    version: () => spawnSync('python3', ['--version'], { encoding: 'utf8' }).stdout?.trim(),
  },
} as const satisfies Record<string, { readonly label: string; readonly version: () => string | undefined }>;

type ClientName = keyof typeof clients;
const clientNames = Object.keys(clients) as ClientName[];
const settings = ['default', 'safest'] as const;

/** How often each thing was wrong, by its name in `orders judge`. */
export type Wrong = Readonly<Record<string, number>>;

/** What the judge found of a client in one setting. */
export interface ClaimsRow {
  readonly client: ClientName;
  readonly label: string;
  readonly setting: (typeof settings)[number];
  readonly version: string;
  readonly updates: number;
  readonly settled: number;
  readonly unsettled: number;
  readonly wrong: Wrong;
  readonly cases: Readonly<Record<string, { readonly settled: number; readonly wrong: Wrong }>>;
}

export interface ClaimsSettings {
  /** Orders of each case, with 4 updates each. */
  readonly orders: number;
  /** @default all */
  readonly cases?: readonly string[];
  /** @default all */
  readonly clients?: readonly ClientName[];
  /** The time limit of an attempt in the safest setting. */
  readonly timeout: string;
  /** A program that takes longer for a case is killed. */
  readonly limit: string;
}

export const thorough: ClaimsSettings = { orders: 250, timeout: '5s', limit: '100s' };
export const quick: ClaimsSettings = {
  orders: 2,
  cases: ['healthy', 'reset-applied', 'page-200', 'redirect-307', 'applied-503'],
  timeout: '10m',
  limit: '60m',
};

/** As many at a time: they wait more than they compute. */
const atOnce = 6;

/** Judges every client in both settings; one whose program is not on this machine is named to `skip`. */
export async function judgeAll(
  chosen: ClaimsSettings,
  progress: (label: string) => void,
  skip: (label: string) => void,
): Promise<readonly ClaimsRow[]> {
  const all = (chosen.clients ?? clientNames).flatMap((client) => {
    const { label, version } = clients[client];
    const found = version();
    if (found === undefined) skip(label);
    return found === undefined
      ? []
      : settings.map((setting) => ({ client, label, setting, version: found }) as const);
  });
  const rows: ClaimsRow[] = [];
  const waiting = [...all.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [place, row] = next;
      rows[place] = { ...row, ...(await judge(row, chosen)) };
      progress(`${row.label}, ${row.setting} (${rows.filter(Boolean).length} of ${all.length})`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return rows;
}

async function judge(
  { client, setting }: Pick<ClaimsRow, 'client' | 'setting'>,
  { orders, cases, timeout, limit }: ClaimsSettings,
): Promise<Pick<ClaimsRow, 'updates' | 'settled' | 'unsettled' | 'wrong' | 'cases'>> {
  const flags = ['--conditions=@orders/source'];
  const adapter = join(import.meta.dirname, 'adapters', client);
  const program =
    client === 'standard-library'
      ? ['python3', `${adapter}.py`]
      : [process.execPath, ...flags, `${adapter}.ts`];
  const command = join(import.meta.dirname, '../../../../packages/cli/src/main.ts');
  const options = ['--orders', String(orders), '--timeout', timeout, '--limit', limit];
  if (cases) options.push('--case', cases.join());
  const words = [...flags, command, 'judge', '--json', ...options, '--', ...program, setting];
  const printed = await new Promise<string>((resolve, reject) => {
    execFile(process.execPath, words, { maxBuffer: 2 ** 26 }, (error, stdout) => {
      // It exits with 1 when something was wrong.
      if (error && error.code !== 1) reject(error);
      else resolve(stdout);
    });
  });
  const { updates, settled, unsettled, wrong, cases: found } = JSON.parse(printed);
  const counts = (list: readonly { readonly kind: string; readonly count: number }[]): Wrong =>
    Object.fromEntries(list.map(({ kind, count }) => [kind, count]));
  return {
    updates,
    settled,
    unsettled,
    wrong,
    cases: Object.fromEntries(
      found.map((each: { name: string; settled: number; wrong: [] }) => [
        each.name,
        { settled: each.settled, wrong: counts(each.wrong) },
      ]),
    ),
  };
}
