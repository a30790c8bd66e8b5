/**
 * Runs examples one after another in this process, each with its own environment, and writes what each of them printed to
 * a file, as JSON: null for one that threw.
 */
import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { setImmediate as turn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { copyPglite } from '../../../packages/outbox/test/copy-pglite.ts';

const [examples = '[]', results = ''] = process.argv.slice(2);
const printed: (string | null)[] = [];
const write = process.stdout.write.bind(process.stdout);
copyPglite();
// An example shows how a property is written; packages/testing tests what it makes.
fc.configureGlobal({ numRuns: 20 });
for (const example of JSON.parse(examples)) {
  let text: string | null = '';
  process.stdout.write = ((chunk: unknown) => {
    text += String(chunk);
    return true;
  }) as typeof process.stdout.write;
  Object.assign(process.env, example.env);
  try {
    await import(pathToFileURL(example.file).href);
  } catch {
    text = null;
  }
  await turn();
  for (const name of Object.keys(example.env ?? {})) delete process.env[name];
  printed.push(text);
}
process.stdout.write = write;
writeFileSync(results, JSON.stringify(printed));
