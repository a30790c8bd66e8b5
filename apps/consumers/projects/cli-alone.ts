/** A project that has the command and nothing else: neither PGlite nor a database. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';

// Where this script runs, once it is installed.
const { resolve } = createRequire(join(process.cwd(), 'package.json'));
const main = join(dirname(resolve('@orders/cli/package.json')), 'dist', 'main.js');

function orders(...words: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...words], { encoding: 'utf8' });
  return `${status} ${stdout}${stderr}`;
}

assert.match(orders('--help'), /^0 Usage: orders/);
assert.match(orders('conformance', '--list'), /^0 echo-accepts-key/);
assert.match(
  orders('outbox', 'migrate', '--folder', './outbox'),
  /^3 orders: --folder needs PGlite: install @electric-sql\/pglite beside @orders\/cli\.$/m,
);
