/** Runs the cases in Node, Deno or Bun: `child.ts <specifier> <transport> <service>`. Writes the results as JSON. */
import process from 'node:process';
import { inspect } from 'node:util';
import { type Context, runCases } from './cases.ts';

const [specifier = '', transport = '', service = ''] = process.argv.slice(2);
const resolved = import.meta.resolve(specifier);
if (!resolved.includes('/dist/')) throw new Error(`${specifier} is not the built package but ${resolved}`);

const deep = { depth: Number.POSITIVE_INFINITY, showHidden: true };
const results = await runCases({
  ...(await import(specifier)),
  transport: transport as Context['transport'],
  service: JSON.parse(service),
  inspect: (value) => inspect(value) + inspect(value, deep),
});
process.stdout.write(JSON.stringify(results), () => process.exit(0));
