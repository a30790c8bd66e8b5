import process from 'node:process';

/** Waits to import something, in a process that has imported nothing else. */
export function startImportRole() {
  return {
    /** Imports modules in turn and tells the CPU time that it took, in milliseconds. */
    async load(specifiers: readonly string[]): Promise<number> {
      const before = process.cpuUsage();
      for (const specifier of specifiers) await import(specifier);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    },
  };
}
