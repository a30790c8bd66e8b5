import process from 'node:process';

/** The processor time of this process since it called `process.cpuUsage()`, in milliseconds: no other process adds to it. */
export function cpuMsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}
