import process from 'node:process';

/**
 * Reads the options of a script. `--help` prints how it is used and ends it; a mistake, which `read` throws, ends it with 2, in
 * one line.
 */
export function readOptions<Options>(help: string, read: () => Options): Options {
  if (process.argv.slice(2).some((word) => word === '--help' || word === '-h')) {
    process.stdout.write(help);
    process.exit(0);
  }
  try {
    return read();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}; --help shows how it is used\n`);
    process.exit(2);
  }
}

/** @throws Error unless it is a whole number, at least `from` and of at most nine digits */
export function readCount(option: string, text: string, from = 1): number {
  if (/^\d{1,9}$/.test(text) && Number(text) >= from) return Number(text);
  throw new Error(`${option} ${text}: write a whole number from ${from} on`);
}

/** @throws Error unless it is one of these names */
export function readName<Name extends string>(option: string, text: string, names: readonly Name[]): Name {
  const name = names.find((each) => each === text);
  if (name !== undefined) return name;
  throw new Error(`${option} ${text}: write ${names.join(' or ')}`);
}
