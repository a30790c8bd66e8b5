import process from 'node:process';
import { expect, test } from 'vitest';
import { runOrders } from '../test/run-orders.ts';

test('in an older Node the command says which it needs', async () => {
  const env = { NODE_OPTIONS: `--import=${new URL('../../../.ci/as-older-node.ts', import.meta.url)}` };
  expect(await runOrders(['validate', 'updates.csv'], { cwd: import.meta.dirname, env })).toEqual({
    code: 3,
    stdout: '',
    stderr: `orders needs Node 22.19 or newer, and this is Node ${process.versions.node}.\n`,
  });
});
