/** The mock service in a process of its own, so that it can be killed: what it applied is in a file before it responds. */
import { openSync, writeSync } from 'node:fs';
import process from 'node:process';
import { type FaultRule, startMockOrderService } from '@orders/testing';

export interface BackendSettings {
  readonly port: number;
  readonly key: string;
  readonly tokens: readonly string[];
  readonly latencyMs: number;
  readonly faults: readonly FaultRule[];
  /** The file that gets a line for each update that is applied and for each request that has ended. */
  readonly ledger: string;
}

const { key, tokens, ledger, ...settings }: BackendSettings = JSON.parse(process.argv[2] ?? '');
const file = openSync(ledger, 'a');
let written = 0;

const service = await startMockOrderService({
  ...settings,
  keys: [key],
  orders: tokens,
  responses: {
    merge: (held, update) => {
      // Called for what a fault then does not apply, too: only the service's ledger says what was applied.
      process.nextTick(writeApplied);
      return { ...held, ...update };
    },
  },
  onRequest: ({ token }) => {
    writeApplied();
    writeSync(file, `request ${token}\n`);
  },
});
process.on('disconnect', () => process.exit());
process.send?.('ready');

function writeApplied(): void {
  const { ledger: applied } = service;
  for (; written < applied.length; written += 1) writeSync(file, `applied ${applied[written]?.token}\n`);
}
