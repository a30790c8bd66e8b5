import type { Lab } from '../lab/lab.ts';
import type { BreakageName } from '../packing/breakage.ts';

/** One kind of consumer. */
export interface Row {
  /** What it picks: `group, what`. */
  readonly name: string;
  /** The breakages that it must notice; it must not notice others. */
  readonly redWhen: readonly BreakageName[];
  /** Does what the consumer does, and gives what is worth telling. It rejects with the reason when it does not work. */
  readonly run: (lab: Lab) => Promise<string>;
}
