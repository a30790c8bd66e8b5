/** Runs files one after another in this process and prints what each of them printed, as JSON; one that throws ends it. */
import process from 'node:process';
import { setImmediate as turn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const write = process.stdout.write.bind(process.stdout);
const printed: string[] = [];
for (const file of process.argv.slice(2)) {
  let text = '';
  process.stdout.write = ((chunk: unknown) => {
    text += String(chunk);
    return true;
  }) as typeof process.stdout.write;
  await import(pathToFileURL(file).href);
  await turn();
  printed.push(text);
}
process.stdout.write = write;
process.stdout.write(JSON.stringify(printed));
