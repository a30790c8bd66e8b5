import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openLab } from '../lab/lab.ts';
import { type Command, runProgram } from '../machine/run-program.ts';
import { startProgram } from '../machine/start-program.ts';
import { nodes, toolFile } from '../machine/tools.ts';
import { readServiceFacts, withOwnService } from '../newcomer/own-service.ts';
import { argumentsOf, blockOf } from '../newcomer/read-readme.ts';

const repository = join(import.meta.dirname, '..', '..', '..', '..');
const node = nodes.ours.path;
const pnpm: Command = [node, toolFile('pnpm12', 'bin', 'pnpm.mjs')];
const npx: Command = [node, toolFile('npm11', 'bin', 'npx-cli.js')];

export interface NewcomerOptions {
  readonly keep: boolean;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

/** Walks from an empty folder to a sent update by what the READMEs show and nothing else, and times each step. */
export async function runNewcomer({ keep, signal, say }: NewcomerOptions): Promise<boolean> {
  const readme = await readReadmes();
  await using lab = await openLab({ keep, signal });
  const cwd = await lab.open('newcomer');
  const env = lab.environment();
  const run = async (...command: Command): Promise<string> =>
    (await runProgram(command, { cwd, env, signal })).stdout;
  const runExample = async (file: string, code: string): Promise<string> => {
    await writeFile(join(cwd, file), code);
    return run(node, file);
  };
  const startedAt = performance.now();
  const step = async <Made>(what: string, work: () => Promise<Made>): Promise<Made> => {
    const from = performance.now();
    const made = await work();
    const result = typeof made === 'string' ? made.trim().split('\n').at(-1) : '';
    say(`${((performance.now() - from) / 1_000).toFixed(1).padStart(5)} s  ${what}  ${result}`.trimEnd());
    return made;
  };

  for (const line of [readme.client, readme.testing, readme.cli].map((each) => blockOf(each, 'sh'))) {
    await step(line.trim(), async () => void (await run(...pnpm, ...argumentsOf(line))));
  }
  const example = blockOf(readme.root, 'ts');
  const told = await step('the example of the README', () => runExample('example.mts', example));
  if (!told.startsWith('applied 200')) throw new Error(`The example prints: ${told}`);

  await using service = await step('npx orders mock', () =>
    startProgram([...npx, 'orders', 'mock', '--port', '0'], { cwd, env, signal, ready: /^\s+curl .+\n/m }),
  );
  const facts = readServiceFacts(service.printed);
  const answer = await step('the curl line that it prints', () => run('sh', '-c', facts.curl));
  if (!answer.includes(facts.token)) throw new Error(`curl prints: ${answer}`);
  const again = await step('the example with that service', () =>
    runExample('own.mts', withOwnService(example, facts)),
  );
  if (again !== told) throw new Error(`The example prints: ${again}`);
  await step('the example of @orders/client with it', () =>
    runExample('client.mts', withOwnService(blockOf(readme.client, 'ts'), facts)),
  );
  say(`${((performance.now() - startedAt) / 1_000).toFixed(1).padStart(5)} s  in all`);
  return true;
}

async function readReadmes() {
  const read = (...path: readonly string[]) => readFile(join(repository, ...path, 'README.md'), 'utf8');
  return {
    root: await read(),
    client: await read('packages', 'client'),
    testing: await read('packages', 'testing'),
    cli: await read('packages', 'cli'),
  };
}
