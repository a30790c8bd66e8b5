/** Prints how many statements a second an outbox asks that has nothing to do, over five minutes. */
import process from 'node:process';
// Before all others, which take time and chance from it.
import './virtual-time.ts';

const { Database } = await import('./database.ts');
const { play } = await import('./world.ts');
const database = await Database.open();
const setup = {
  seed: 1,
  processes: 1,
  isListening: true,
  perSecond: undefined,
  keyMs: 0,
  hasInbox: false,
} as const;

async function count(ms: number): Promise<number> {
  const before = database.statements;
  const steps = [{ do: 'pass', ms }] as const;
  await play(database, { setup: { ...setup, onRejected: 'hold', latestWins: false }, steps });
  return database.statements - before;
}

const [start, whole] = [await count(60_000), await count(360_000)];
process.stdout.write(`${(whole - start) / 300}\n`);
process.exit(0);
