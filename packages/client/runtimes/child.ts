/** Runs the suite in Node, Bun or Deno: `child.ts <entry> <places>`. Each line of output is a result as JSON. */
import process from 'node:process';
import { inspect } from 'node:util';
import type { Context } from './context.ts';
import { cases, runCase } from './suite.ts';

const [entry = '', places = '{}'] = process.argv.slice(2);
const resolved = import.meta.resolve(entry);
if (!resolved.includes('/dist/')) throw new Error(`${entry} is not the built package but ${resolved}`);

const deep = { depth: Number.POSITIVE_INFINITY, showHidden: true };
const main = '@orders/client';
const context: Context = {
  sdk: await import(entry),
  loadMain: () => import(main),
  places: JSON.parse(places),
  inspect: (value) => inspect(value) + inspect(value, deep),
};
for (const each of cases) process.stdout.write(`${JSON.stringify(await runCase(each, context))}\n`);
process.exit(0);
