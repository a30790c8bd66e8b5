import { startChild } from '../child/start-child.ts';
import type { BenchSettings } from './bench-settings.ts';
import { type Progress, throughEach } from './progress.ts';
import { alternate } from './rounds.ts';

/** What is imported, by the name it has in tables. */
const importList = {
  undici: ['undici'],
  '@orders/client': ['@orders/client'],
  'zod + undici by hand': ['zod', 'undici'],
  'openapi-fetch': ['openapi-fetch'],
  ky: ['ky'],
  axios: ['axios'],
  got: ['got'],
} as const satisfies Record<string, readonly string[]>;

export type ImportName = keyof typeof importList;
/** The CPU time of each import in each round, in milliseconds. */
export type ImportRounds = ReadonlyMap<ImportName, readonly number[]>;

/** Measures each import in a fresh process, in alternating rounds. */
export async function measureImports(settings: BenchSettings, progress: Progress): Promise<ImportRounds> {
  const names = Object.keys(importList) as ImportName[];
  const rounds = new Map(names.map((name): [ImportName, number[]] => [name, []]));
  const turns = alternate(names, settings.rounds + 1);
  await throughEach(progress, 'import', turns, async (name) => {
    await using child = await startChild('import', []);
    rounds.get(name)?.push(await child.call('load', importList[name]));
  });
  // The first round brought the files into the system's cache, and does not count.
  return new Map([...rounds].map(([name, times]) => [name, times.slice(1)]));
}
