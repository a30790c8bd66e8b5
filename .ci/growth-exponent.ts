import process from 'node:process';
import { cpuMsSince } from './cpu-ms-since.ts';

const times = 32;

/**
 * The power of the size with which processor time grows: about 1 where it is linear, 2 where it is quadratic, on any machine.
 * A 32nd of `size` is measured beside it.
 *
 * @param prepare Returns what is to be measured for a size.
 */
export function growthExponent(size: number, prepare: (size: number) => () => unknown): number {
  const [small, large] = [prepare(size / times), prepare(size)];
  // What is new to the engine runs slowly at first.
  for (let round = 0; round < 10; round += 1) small();
  return Math.log(leastCpuMs(large) / leastCpuMs(small)) / Math.log(times);
}

/** What it takes by itself: compiling it and collecting the garbage of other tests only ever add to that. */
function leastCpuMs(run: () => unknown): number {
  return Math.min(...Array.from({ length: 5 }, () => cpuMsOf(run)));
}

/** Runs it as often as the clock of the processor needs, which on some systems moves on by 16 ms at once. */
function cpuMsOf(run: () => unknown): number {
  const start = process.cpuUsage();
  let rounds = 0;
  while (cpuMsSince(start) < 8) {
    run();
    rounds += 1;
  }
  return cpuMsSince(start) / rounds;
}
