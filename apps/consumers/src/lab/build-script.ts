import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export type ScriptFormat = 'esm' | 'cjs';

export interface ScriptOrder {
  /** URL of a file in `projects`. */
  readonly source: string;
  readonly format: ScriptFormat;
  readonly folder: string;
}

/** Makes one script of a source, with `import` or `require` for what is installed, and gives its file's name. */
export async function buildScript({ source, format, folder }: ScriptOrder): Promise<string> {
  const file = `${basename(source, '.ts')}.${format === 'esm' ? 'mjs' : 'cjs'}`;
  await build({
    entryPoints: [fileURLToPath(source)],
    outfile: join(folder, file),
    bundle: true,
    packages: 'external',
    platform: 'neutral',
    target: 'es2022',
    format,
    logLevel: 'silent',
  });
  return file;
}
