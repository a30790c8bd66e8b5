import { type Child, startChild } from '../child/start-child.ts';
import { type ValidatorName, validatorNames } from '../validators/validator-list.ts';
import type { BenchSettings } from './bench-settings.ts';
import { type Progress, throughEach } from './progress.ts';
import { alternate } from './rounds.ts';

/** What checking one update took of CPU time in each round, in microseconds. */
export interface ValidationRounds {
  readonly lines: number;
  readonly rounds: ReadonlyMap<ValidatorName, readonly number[]>;
}

/** Measures checking alone: nothing is sent. */
export async function measureValidators(
  settings: BenchSettings,
  progress: Progress,
): Promise<ValidationRounds[]> {
  const children = new Map<ValidatorName, Child<'validator'>>();
  try {
    for (const name of validatorNames) children.set(name, await startChild('validator', [name]));
    const carts: ValidationRounds[] = [];
    for (const lines of settings.carts) {
      const rounds = new Map(validatorNames.map((name): [ValidatorName, number[]] => [name, []]));
      const updates = new Map<ValidatorName, number>();
      for (const [name, child] of children) updates.set(name, await warmUp(child, lines, settings));
      await throughEach(
        progress,
        `checking alone, ${lines} lines`,
        alternate(validatorNames, settings.rounds),
        async (name) => {
          const count = updates.get(name) ?? 1;
          const cpuMs = await children.get(name)?.call('round', { lines, updates: count });
          if (cpuMs !== undefined) rounds.get(name)?.push((cpuMs * 1_000) / count);
        },
      );
      carts.push({ lines, rounds });
    }
    return carts;
  } finally {
    await Promise.all([...children.values()].map((child) => child.close()));
  }
}

/** Runs until the code is compiled, and tells how many updates fill a round. */
async function warmUp(
  child: Child<'validator'>,
  lines: number,
  { roundMs, warmUpMs }: BenchSettings,
): Promise<number> {
  // Nothing else runs in that process: a third of the time is plenty.
  const endsAt = performance.now() + warmUpMs / 3;
  let updates = 10;
  for (;;) {
    const cpuMs = await child.call('round', { lines, updates });
    updates = Math.max(10, Math.round((updates * roundMs) / 2 / Math.max(cpuMs, 0.1)));
    if (performance.now() >= endsAt) return updates;
  }
}
