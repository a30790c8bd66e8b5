import { createRequire } from 'node:module';
import { describeRefusals, type Refusal, readRefusals, settleRefusals } from './loopback-record.ts';

const require = createRequire(import.meta.url);
const { recordIn } = require('./loopback-refusal.cjs');
const expected: string[] = [];
let record = '';

/** Puts what is refused from now on into one file: what this process asks for, and what it starts. */
export function startRecord(file: string): void {
  if (!(require.resolve('./loopback-only.cjs') in require.cache)) {
    throw new Error('loopback-only.cjs is not loaded: run vitest with the configuration of the root.');
  }
  recordIn(file);
  record = file;
}

/** Throws what was refused since it was last called and is not expected; code may have swallowed the error itself. */
export function failOnRefusals(): void {
  const refusals = readRefusals(record).filter(({ hostname }) => !expected.includes(hostname));
  settleRefusals(record, refusals);
  if (refusals.length > 0) throw new Error(describeRefusals(refusals));
}

/**
 * Runs what is meant to ask for these hosts and be refused; other hosts count as ever.
 * Rejects as it does, and when one of them was not asked for.
 */
export async function expectRefusal<T>(hosts: readonly string[], run: () => T): Promise<Awaited<T>> {
  let refusals: readonly Refusal[] = [];
  expected.push(...hosts);
  const result = await Promise.resolve()
    .then(run)
    .finally(() => {
      for (const host of hosts) expected.splice(expected.indexOf(host), 1);
      refusals = readRefusals(record).filter(({ hostname }) => hosts.includes(hostname));
      settleRefusals(record, refusals);
    });
  const missing = hosts.filter((host) => refusals.every(({ hostname }) => hostname !== host));
  if (missing.length > 0) throw new Error(`Nothing was refused to ${missing.join(', ')}.`);
  return result;
}
