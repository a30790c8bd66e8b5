import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What is read of a package.json. */
export interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
}

/** Everything that one can import of a package, such as `@orders/schema/openapi.json`. */
export function entriesOf({ name, exports }: Manifest): readonly string[] {
  return Object.keys(exports).map((path) => name + path.slice(1));
}
