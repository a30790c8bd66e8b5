/** Breaks the contract of reports in each way, sends twice what it was not given, and dies. */
import process from 'node:process';
import { report, send, updates } from './program.ts';

const [first, second] = updates;
if (first && second) {
  await send({ ...first, update: { ...first.update, cart: {} } });
  await send({ ...first, update: { ...first.update, order_id: 'another' } });
  report({ id: second.id, outcome: 'applied' });
  process.stdout.write(`${'-'.repeat(60)}${process.env['ORDERS_API_KEY']}\n`);
  report({ id: second.id, outcome: 'applied' });
  report({ id: 'none', ok: true });
  report({ id: first.id, outcome: 'done', ok: true });
  process.stdout.write('', () => process.kill(process.pid, 'SIGKILL'));
}
