import { type BreakageName, breakages } from '../packing/breakage.ts';
import { misjudged } from '../rows/misjudged.ts';
import { type MatrixOptions, runMatrix } from './run-matrix.ts';

export interface BrokenOptions extends Omit<MatrixOptions, 'broken' | 'keep'> {
  readonly breakages: readonly BreakageName[];
}

/** Runs the matrix once for each breakage, and tells whether the right rows noticed it: those, and no others. */
export async function runBroken({ breakages: names, ...options }: BrokenOptions): Promise<boolean> {
  const verdicts: string[] = [];
  let right = true;
  for (const broken of names) {
    const results = await runMatrix({ ...options, broken, keep: false });
    const wrong = misjudged(results, broken);
    const red = results.filter(({ reason }) => reason !== undefined).length;
    const verdict = wrong.length === 0 ? 'and they are the right ones' : 'but not the right ones:';
    verdicts.push([`${breakages[broken].what}: ${red} rows are red, ${verdict}`, ...wrong].join('\n  '));
    right &&= wrong.length === 0;
  }
  options.say(verdicts.join('\n'));
  return right;
}
