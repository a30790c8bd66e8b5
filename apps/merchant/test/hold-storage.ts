import process from 'node:process';
import { openStorage } from '../src/storage/open-storage.ts';
import { StorageProblem } from '../src/storage/storage-problem.ts';

// A desk without server or page: stores an update as queued and one as sending, says so, and waits to be killed.
const [place = '{}', queued = '', sending = ''] = process.argv.slice(2);
try {
  const storage = await openStorage(JSON.parse(place));
  const update = { token: 'order-1', body: { cart: {} } };
  await storage.orders.add([update]);
  await storage.updates.accept({ ...update, id: queued });
  await storage.updates.accept({ ...update, id: sending });
  await storage.updates.markSending(sending, 1);
  process.stdout.write('sending\n');
  setInterval(() => {}, 60_000);
} catch (error) {
  if (!(error instanceof StorageProblem)) throw error;
  process.stdout.write(`${error.message}\n`);
}
