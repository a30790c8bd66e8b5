/** Breaks the contract of reports in each way, sends twice what it was given once, and dies. */
import process from 'node:process';
import { report, send, updates } from './program.ts';

const [first, second] = updates;
if (first && second) {
  await send({ ...first, update: { ...first.update, order_id: 'another' } });
  report({ id: second.id, outcome: 'applied' });
  report({ id: second.id, outcome: 'applied' });
  report({ id: 'none', ok: true });
  report({ id: first.id, outcome: 'done' });
  process.stdout.write('sent 2 updates\n', () => process.kill(process.pid, 'SIGKILL'));
}
