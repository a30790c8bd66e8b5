import { readdir, readFile } from 'node:fs/promises';

/** Ticks of the clock in a second that Linux counts CPU time in, for whoever reads /proc. */
const ticksPerSecond = 100;

/** CPU time of a process in milliseconds, and who its parent is. */
export interface ProcessStat {
  readonly parent: number;
  readonly cpuMs: number;
  /** Of its children that have ended. */
  readonly endedMs: number;
}

/** Reads the text of `/proc/<pid>/stat`. The name of the program is in brackets and may hold anything. */
export function readProcessStat(text: string): ProcessStat {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ms = (...places: readonly number[]): number =>
    places.reduce((sum, place) => sum + Number(fields[place]), 0) * (1_000 / ticksPerSecond);
  return { parent: Number(fields[1]), cpuMs: ms(11, 12), endedMs: ms(13, 14) };
}

/** CPU time of a process so far, in milliseconds; undefined where there is no `/proc`, or no such process. */
export async function cpuOf(pid: number): Promise<number | undefined> {
  return (await statOf(pid))?.cpuMs;
}

/** CPU time of a process, its children and its ended children so far, in milliseconds, as `cpuOf`. */
export async function cpuOfFamily(pid: number): Promise<number | undefined> {
  const names = await readdir('/proc').catch(() => []);
  const others = await Promise.all(
    names
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .map(statOf),
  );
  const own = await statOf(pid);
  if (!own) return undefined;
  const children = others.reduce((sum, stat) => sum + (stat?.parent === pid ? stat.cpuMs : 0), 0);
  return own.cpuMs + own.endedMs + children;
}

async function statOf(pid: number): Promise<ProcessStat | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : readProcessStat(text);
}
