import { cp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { createOutbox, OutboxError } from '@orders/outbox';
import { pgliteStore } from '@orders/outbox/pglite';

// Accepts updates in a folder until it is killed, prints the id of each, and backs the folder up all the time.
process.stdin.once('end', () => process.exit()).resume();
const [folder = '', copy = ''] = process.argv.slice(2);
try {
  const outbox = await createOutbox({ store: await pgliteStore(folder) });
  void accept();
  for (;;) {
    await readFile(join(folder, 'lock.sqlite'));
    // What is written meanwhile may be gone before it is copied.
    await cp(folder, copy, { recursive: true }).catch(() => {});
    await rm(copy, { recursive: true, force: true });
  }

  async function accept(): Promise<void> {
    for (let number = 0; ; number++) {
      const id = await outbox.enqueue(`ord_${number % 7}`, { cart: { items: [{ quantity: number }] } });
      process.stdout.write(`${id}\n`);
    }
  }
} catch (error) {
  process.stdout.write(`${error instanceof OutboxError ? error.code : error}\n`);
  process.exit();
}
