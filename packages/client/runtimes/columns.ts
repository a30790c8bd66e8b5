import { join } from 'node:path';
import process from 'node:process';
import type { Case, Elsewhere } from './context.ts';

/** One runtime with one entry of the package. */
export interface Column {
  readonly runtime: string;
  readonly entry: 'main' | 'fetch';
  /** Whose `fetch` it is, in the words of a case's `unless`; `undefined` when undici sends. */
  readonly fetchOf: Exclude<Elsewhere, 'fetch'> | undefined;
  /** How to start a script in it; workerd takes no scripts. */
  readonly command: readonly string[];
}

const modules = join(import.meta.dirname, 'node_modules');
const nodes = {
  node22: join(modules, 'node22', 'bin', 'node'),
  node24: process.execPath,
  node26: join(modules, 'node26', 'bin', 'node'),
};
// The programs themselves, not what `.bin` holds to start them: to end one is then to end it.
const bun = [join(modules, 'bun', 'bin', 'bun.exe'), '--no-install'];
const deno = [
  join(modules, 'deno', process.platform === 'win32' ? 'deno.exe' : 'deno'),
  ...['run', '--quiet', '--no-prompt', '--no-lock', '--no-remote', '--node-modules-dir=manual'],
  ...['--allow-net=127.0.0.1', '--allow-read', '--allow-env'],
];

/** Bun and workerd have no main entry that works; a case proves what it says there. */
export const columns: readonly Column[] = [
  ...Object.entries(nodes).flatMap(([runtime, binary]): Column[] => [
    { runtime, entry: 'main', fetchOf: undefined, command: [binary] },
    { runtime, entry: 'fetch', fetchOf: 'node', command: [binary] },
  ]),
  { runtime: 'deno', entry: 'main', fetchOf: undefined, command: deno },
  { runtime: 'deno', entry: 'fetch', fetchOf: 'deno', command: deno },
  { runtime: 'bun', entry: 'fetch', fetchOf: 'bun', command: bun },
  { runtime: 'workerd', entry: 'fetch', fetchOf: 'workerd', command: [] },
];

/** What a case is to tell in a column. */
export function expectedIn({ fetchOf }: Pick<Column, 'fetchOf'>, { told, unless = {} }: Case): string {
  return fetchOf === undefined ? told : (unless[fetchOf] ?? unless.fetch ?? told);
}
