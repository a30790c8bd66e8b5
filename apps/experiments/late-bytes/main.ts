/**
 * Shows on this machine's kernel that an update whose call has ended does not arrive later, and that a response which
 * arrived during a pause of the process is read.
 */
import { execFile } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { updateDuringPause } from '../../../packages/client/test/paused-updates.ts';
import { isInstalled } from '../proxies/proxies.ts';
import type { LostPackets } from './lost-packets.ts';

const run = promisify(execFile);
const longestMs = 90_000;
const inNamespace = ['--map-root-user', '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];

/** Why packets cannot be dropped here. */
async function findObstacle(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'needs Linux';
  const missing: string[] = [];
  for (const [tool, option] of [
    ['unshare', '--version'],
    ['ip', '-V'],
    ['iptables', '--version'],
  ] as const)
    await run(tool, [option]).catch(() => missing.push(tool));
  if (missing.length > 0) return `not found: ${missing.join(', ')}`;
  const failure = await run('unshare', [...inNamespace, 'iptables', '-L', '-n']).catch(
    (error: Error) => error,
  );
  return failure instanceof Error ? `needs root: ${failure.message.trim().split('\n').at(-1)}` : undefined;
}

async function losePackets(): Promise<boolean> {
  process.stdout.write('Updates that time out while all packets to the server are dropped:\n');
  const obstacle = await findObstacle();
  if (obstacle) {
    process.stdout.write(`skipped, ${obstacle}\n`);
    return true;
  }
  const script = fileURLToPath(new URL('lost-packets.ts', import.meta.url));
  const command = [process.execPath, '--conditions=@orders/source', script];
  const { stdout } = await run('unshare', [...inNamespace, ...command], { timeout: longestMs });
  const rows: LostPackets[] = JSON.parse(stdout);
  process.stdout.write(
    '| route | closed with | unknown | applied later | after the new cart |\n|---|---|--:|--:|--:|\n',
  );
  for (const { route, close, unknown, appliedLate, overtaken } of rows)
    process.stdout.write(`| ${route} | ${close} | ${unknown} | ${appliedLate} | ${overtaken} |\n`);
  for (const program of ['nginx', 'squid'] as const)
    if (!isInstalled(program)) process.stdout.write(`skipped, not found: ${program}\n`);
  // Rows with FIN show that the packets were dropped long enough.
  return rows.every(
    ({ close, unknown, appliedLate }) => unknown > 0 && appliedLate > 0 === (close === 'FIN'),
  );
}

async function pauseProcesses(): Promise<boolean> {
  process.stdout.write(
    '\nResponses that arrive while the process is paused for 4 s, with a timeout of 2 s:\n',
  );
  process.stdout.write('| transport | scheme | of 40 updates |\n|---|---|---|\n');
  let allApplied = true;
  for (const transport of ['undici', 'fetch'] as const)
    for (const scheme of ['http', 'https'] as const) {
      const pause = { transports: [transport], scheme, updates: 40, attemptMs: 2_000, pauseMs: 4_000 };
      const counts = await updateDuringPause(pause);
      const list = Object.entries(counts).map(([outcome, count]) => `${count} ${outcome}`);
      process.stdout.write(`| ${transport} | ${scheme} | ${list.join(', ')} |\n`);
      allApplied &&= counts['applied'] === 40;
    }
  return allApplied;
}

const results = [await losePackets(), await pauseProcesses()];
process.exitCode = results.every(Boolean) ? 0 : 1;
