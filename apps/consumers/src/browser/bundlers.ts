import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, version as esbuildVersion } from 'esbuild';
import type { Project } from '../lab/project.ts';
import { nodes, toolFile, toolVersion } from '../machine/tools.ts';

export interface Bundler {
  /** With its version. */
  readonly name: string;
  /** Bundles a script of a project for browsers, with its page, into the folder that it names. */
  readonly bundle: (project: Project, files: BundleFiles) => Promise<void>;
}

interface BundleFiles {
  readonly script: string;
  /** A folder inside the project. */
  readonly out: string;
}

const node = nodes.ours.path;

export const bundlers: readonly Bundler[] = [
  {
    name: `vite ${toolVersion('vite')}`,
    async bundle({ folder, run }, { script, out }) {
      await writeFile(join(folder, 'index.html'), page(script));
      const flags = ['--outDir', out, '--base', './', '--logLevel', 'warn'];
      await run([node, toolFile('vite', 'bin', 'vite.js'), 'build', ...flags]);
    },
  },
  {
    name: `esbuild ${esbuildVersion}`,
    async bundle({ folder }, { script, out }) {
      await build({
        entryPoints: [join(folder, script)],
        absWorkingDir: folder,
        outfile: join(folder, out, 'page.js'),
        bundle: true,
        minify: true,
        format: 'esm',
        platform: 'browser',
        logLevel: 'silent',
      });
      await writeFile(join(folder, out, 'index.html'), page('page.js'));
    },
  },
  {
    name: `webpack ${toolVersion('webpack')}`,
    async bundle({ folder, run }, { script, out }) {
      const flags = ['--mode', 'production', '--target', 'web', '--entry', `./${script}`];
      const output = ['--output-path', out, '--output-filename', 'page.js'];
      await run([node, toolFile('webpack-cli', 'bin', 'cli.js'), 'build', ...flags, ...output]);
      await writeFile(join(folder, out, 'index.html'), page('page.js'));
    },
  },
];

function page(script: string): string {
  return `<!doctype html><title>Shop</title><script type="module" src="./${script}"></script>`;
}
