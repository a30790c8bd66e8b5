import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readPage } from '../../docs/test/read-blocks.ts';
import { type Lab, type Project, type Row, type Run, repository } from './lab.ts';
import { node, toolFile, versionOf } from './tools.ts';

/** The page "CommonJS, Jest and bundlers": what it shows is what these projects run. */
const markdown = readFileSync(join(repository, 'apps/docs/pages/guides/commonjs-jest-bundlers.md'), 'utf8');
const blocks = readPage('', markdown);

/** The block of the page whose fence has this word. */
function shown(word: string): string {
  const block = blocks.find(({ flags }) => flags.includes(word));
  if (!block) throw new Error(`The page has no block ${word}.`);
  return block.code;
}

/** A line of the page's table of compiler settings. */
export interface Setting {
  /** As it stands on the page, such as `"module": "node16"`. */
  readonly options: string;
  readonly kind: 'commonjs' | 'module';
  /** For each version of TypeScript: `works`, or the code of the error. */
  readonly expected: readonly string[];
}

export const settings: readonly Setting[] = [
  ...markdown.matchAll(/^\| `("module".*?)` *\| (CommonJS|ES module) *\|(.*)\|$/gm),
].map(([, options = '', kind, cells = '']) => ({
  options,
  kind: kind === 'CommonJS' ? 'commonjs' : 'module',
  expected: cells.split('|').map((cell) => cell.trim()),
}));

const node22 = toolFile('node22', 'bin/node');
const node26 = toolFile('node26', 'bin/node');

/** Calls `handler` of a module as AWS Lambda does, by `require` if it is CommonJS, in the oldest Node and in the newest. */
export async function callHandler({ run, folder }: Project, { env }: Lab, module: string): Promise<void> {
  const path = JSON.stringify(join(folder, module));
  const isRequired = module.endsWith('.cjs');
  const load = isRequired ? `const { handler } = require(${path});` : `import { handler } from ${path};`;
  // As a module: else `require` is global, and hides that a bundle lacks it.
  const flag = `--input-type=${isRequired ? 'commonjs' : 'module'}`;
  for (const each of [node22, node26]) {
    const program = `${load} handler().then(console.log);`;
    const { stdout } = await run([each, flag, '--eval', program], env(each));
    assert.equal(stdout, 'applied 200\n');
  }
}

/** Runs a command of the page in a shell, with this Node and the programs that the project brings. */
async function runInShell(command: string, { run, folder }: Project, env: NodeJS.ProcessEnv): Promise<void> {
  await run(['sh', '-c', command], { ...env, PATH: `${join(folder, 'node_modules/.bin')}:${env['PATH']}` });
}

/** Runs Jest with a configuration, and a command of the page or Jest's own. */
const jest =
  (config: string, command: string, program: string): Run =>
  async (project, { env }) => {
    await writeFile(join(project.folder, 'jest.config.cjs'), config);
    await runInShell(command, project, env(program));
  };

interface Bundling {
  /** A configuration, by its file. */
  readonly config?: Readonly<Record<string, string>>;
  readonly command: string;
  /** What it writes into `dist`. */
  readonly file: string;
}

/** Bundles `handler.ts`, and calls it where it reaches no package. */
const bundle =
  ({ config = {}, command, file }: Bundling): Run =>
  async (project, lab) => {
    const [dist, alone] = [join(project.folder, 'dist'), join(lab.folder, 'alone', file)];
    await rm(dist, { recursive: true, force: true });
    for (const [name, text] of Object.entries(config)) await writeFile(join(project.folder, name), text);
    await runInShell(command, project, lab.env());
    await cp(dist, alone, { recursive: true });
    await callHandler({ ...project, folder: alone }, lab, file);
  };

/** Loads `handler.ts` in Vite's dev server, and calls it. */
const serve =
  (config: string): Run =>
  async ({ run, folder }) => {
    const program = `
      import { createServer } from 'vite';
      const server = await createServer({ server: { middlewareMode: true }, appType: 'custom' });
      const { handler } = await server.ssrLoadModule('/handler.ts');
      console.log(await handler());
      await server.close();
    `;
    await writeFile(join(folder, 'vite.config.js'), config);
    const { stdout } = await run([node, '--input-type=module', '--eval', program]);
    assert.equal(stdout, 'applied 200\n');
  };

const typescript = { typescript: versionOf('typescript5'), '@types/node': '22' };

/** Jest, bundlers and NestJS. */
export function projectsOfPage(updating: Row['dependencies']): Row[] {
  return [
    {
      name: 'Jest 30',
      installer: 'npm11',
      type: 'commonjs',
      dependencies: {
        ...updating,
        ...typescript,
        jest: '30',
        '@types/jest': '30',
        'ts-jest': '29',
        '@swc/core': '1',
        '@swc/jest': '0.2',
      },
      fixtures: ['handler.ts', 'handler.spec.ts', 'tsconfig.json'],
      runs: {
        'ts-jest, Node 24': jest("module.exports = { preset: 'ts-jest' };", shown('jest'), node),
        'swc, Node 24': jest(
          "module.exports = { transform: { '\\\\.ts$': '@swc/jest' } };",
          shown('jest'),
          node,
        ),
        'ts-jest, Node 22': jest(shown('jest.ts-jest'), 'jest', node22),
        'swc, Node 22': jest(shown('jest.swc'), 'jest', node22),
      },
    },
    {
      name: 'bundlers for Node',
      installer: 'pnpm12',
      dependencies: {
        ...updating,
        ...typescript,
        esbuild: '0',
        vite: versionOf('vite'),
        webpack: versionOf('webpack'),
        'webpack-cli': versionOf('webpack-cli'),
        'ts-loader': '9',
      },
      fixtures: ['handler.ts', 'tsconfig.json'],
      runs: {
        'esbuild, cjs': bundle({ command: shown('esbuild.cjs'), file: 'handler.cjs' }),
        'esbuild, esm': bundle({ command: shown('esbuild.esm'), file: 'handler.mjs' }),
        webpack: bundle({
          config: { 'webpack.config.cjs': shown('webpack') },
          command: 'webpack',
          file: 'handler.cjs',
        }),
        async 'vite build --ssr'(project, lab) {
          await runInShell('vite build --ssr handler.ts --outDir ssr', project, lab.env());
          await callHandler(project, lab, 'ssr/handler.js');
        },
        'vite dev': serve('export default {};'),
        'vite build, noExternal': bundle({
          config: { 'vite.config.js': shown('vite.noExternal') },
          command: 'vite build --ssr handler.ts',
          file: 'handler.js',
        }),
        'vite dev, noExternal': serve(shown('vite.noExternal')),
      },
    },
    ...[{ nest: '11', type: 'commonjs' } as const, { nest: '12', type: 'module' } as const].map(
      ({ nest, type }): Row => ({
        name: `NestJS ${nest}`,
        installer: 'npm11',
        type,
        dependencies: {
          ...updating,
          ...typescript,
          '@nestjs/common': nest,
          '@nestjs/core': nest,
          'reflect-metadata': '0.2',
          rxjs: '7',
        },
        fixtures: ['nest', 'tsconfig.json'],
        runs: {
          async [`injects the client, ${type}`](project, lab) {
            await runInShell('tsc', project, lab.env());
            await callHandler(project, lab, 'nest/main.js');
          },
        },
      }),
    ),
  ];
}
