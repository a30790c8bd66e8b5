import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileOfBlock, readersOptions } from '../../docs/test/block-folder.ts';
import { readBlocks, readReadmes } from '../../docs/test/read-blocks.ts';
import { type Lab, type Package, type Project, type Row, type Run, repository } from './lab.ts';
import { callHandler, type Setting, settings } from './page.ts';
import { node, toolFile, versionOf } from './tools.ts';

const compilers = ['typescript54', 'typescript5', 'typescript6', 'typescript7'];

/** What TypeScript 5.4 lacks: it cannot require ES modules, and the types of others are for newer ones. */
const isOld = (tool: string): boolean => tool === 'typescript54';

interface Compilation {
  readonly tool: string;
  readonly resolution: string;
}

/** A run for each compiler and kind of resolution. */
const inEach = (run: (project: Project, compilation: Compilation) => Promise<void>): Row['runs'] =>
  Object.fromEntries(
    compilers.flatMap((tool) =>
      ['nodenext', 'bundler'].map((resolution): [string, Run] => [
        `${versionOf(tool)} ${resolution}`,
        (project) => run(project, { tool, resolution }),
      ]),
    ),
  );

/** A back end and a page, all code that readers are shown, and each line of the page's table of settings. */
export function projectsOfTypeScript(packages: readonly Package[], all: Row['dependencies']): Row[] {
  const shown = readShownCode();
  return [
    {
      name: 'TypeScript',
      installer: 'pnpm12',
      dependencies: { ...all, '@types/node': '22' },
      fixtures: ['typed'],
      runs: inEach((project, compilation) => compile(project, compilation, packages)),
    },
    {
      name: 'TypeScript, examples and docs',
      installer: 'pnpm12',
      dependencies: { ...dependenciesOf(shown), ...all, '@types/node': '22' },
      fixtures: [],
      runs: inEach((project, compilation) => compileShown(project, compilation, shown)),
    },
    {
      name: 'TypeScript settings',
      installer: 'pnpm12',
      dependencies: { ...all, '@types/node': '22' },
      fixtures: ['handler.ts'],
      runs: Object.fromEntries(
        settings.map((setting) => [
          `${setting.options}, ${setting.kind}`,
          (project, lab) => compileAs(setting, { ...project, lab, packages }),
        ]),
      ),
    },
  ];
}

/** Every path by which a package is imported. */
const entriesOf = (packages: readonly Package[]): readonly string[] =>
  packages.flatMap(({ name, exports }) => Object.keys(exports).map((path) => name + path.slice(1)));

/** Compiles a back end and a page with every library checked, and declarations of their own. */
async function compile(
  { folder, run }: Project,
  { tool, resolution }: Compilation,
  packages: readonly Package[],
): Promise<void> {
  const imports = entriesOf(packages).map(
    (entry) => `import '${entry}'${entry.endsWith('.json') ? " with { type: 'json' }" : ''};`,
  );
  await writeFile(join(folder, 'typed/entries.ts'), [...imports, 'export {};\n'].join('\n'));
  const isNode = resolution === 'nodenext';
  const server = ['server.ts', 'entries.ts', ...(isNode && !isOld(tool) ? ['server.cts'] : [])];
  for (const [name, files, lib, types] of [
    ['server', server, ['es2022'], ['node']],
    ['page', ['page.ts'], ['es2022', 'dom'], []],
  ] as const) {
    const compilerOptions = {
      lib,
      types,
      module: isNode ? 'nodenext' : 'esnext',
      moduleResolution: resolution,
      target: 'es2022',
      strict: true,
      exactOptionalPropertyTypes: true,
      ...(!isOld(tool) && { noUncheckedSideEffectImports: true }),
      skipLibCheck: isOld(tool),
      declaration: true,
      resolveJsonModule: true,
      rootDir: '.',
      outDir: `../out/${tool}-${resolution}`,
    };
    const file = `typed/tsconfig.${tool}-${resolution}-${name}.json`;
    await writeFile(join(folder, file), JSON.stringify({ compilerOptions, files }));
    await run([node, toolFile(tool, 'bin/tsc'), '--project', file, '--pretty', 'false']);
  }
}

interface SourceFile {
  readonly name: string;
  readonly text: string;
}

/** The files of `apps/examples`, and the blocks of pages, READMEs and doc comments. */
function readShownCode(): readonly SourceFile[] {
  const examples = globSync('apps/examples/*.{ts,tsx}', { cwd: repository, exclude: ['**/*.test.ts'] });
  const blocks = readBlocks().filter(({ file, language }) => file === undefined && /^tsx?$/.test(language));
  return [
    ...examples.map((path) => ({ name: basename(path), text: readFileSync(join(repository, path), 'utf8') })),
    ...[...blocks, ...readReadmes()].map((block) => fileOfBlock(block)),
  ];
}

/** The packages of others that the code imports, and their types, in the versions that this repository has. */
function dependenciesOf(files: readonly SourceFile[]): Record<string, string> {
  const imported = files.flatMap(({ text }) =>
    [...text.matchAll(/^(?:import|\} from|.* from) '((?:@[\w-]+\/)?[\w-]+)[^:]*?';$/gm)].map(
      ([, name = '']) => name,
    ),
  );
  const names = [...new Set(imported)].filter((name) => !name.startsWith('@orders/'));
  const places = globSync(['apps/{docs,examples}/node_modules', 'packages/*/node_modules'], {
    cwd: repository,
  });
  return Object.fromEntries(
    names
      .flatMap((name) => [name, `@types/${name}`])
      .flatMap((name) => {
        const manifest = places
          .map((place) => join(repository, place, name, 'package.json'))
          .find((file) => existsSync(file));
        return manifest ? [[name, JSON.parse(readFileSync(manifest, 'utf8')).version]] : [];
      }),
  );
}

/** Compiles the code that readers are shown as a strict project of theirs does. */
async function compileShown(
  { folder, run }: Project,
  { tool, resolution }: Compilation,
  shown: readonly SourceFile[],
): Promise<void> {
  await mkdir(join(folder, 'shown'), { recursive: true });
  for (const { name, text } of shown) await writeFile(join(folder, 'shown', name), text);
  const { erasableSyntaxOnly, ...options } = readersOptions;
  const compilerOptions = {
    ...options,
    ...(!isOld(tool) && { erasableSyntaxOnly }),
    // What each compiler has.
    target: 'es2022',
    lib: ['es2023', 'esnext.disposable', 'esnext.collection', 'dom', 'dom.iterable'],
    module: resolution === 'nodenext' ? 'nodenext' : 'esnext',
    moduleResolution: resolution,
  };
  const file = `shown/tsconfig.${tool}-${resolution}.json`;
  const files = shown.map(({ name }) => name);
  await writeFile(join(folder, file), JSON.stringify({ compilerOptions, files }));
  await run([node, toolFile(tool, 'bin/tsc'), '--project', file, '--pretty', 'false']);
}

/** Compiles with each version, which reports what the page says, and runs what it wrote. */
async function compileAs(
  { options, kind, expected }: Setting,
  { lab, packages, ...project }: Project & { readonly lab: Lab; readonly packages: readonly Package[] },
): Promise<void> {
  const { folder, run } = project;
  assert.equal(expected.length, compilers.length);
  const entries = entriesOf(packages).filter((entry) => !entry.endsWith('.json'));
  for (const [index, tool] of compilers.entries()) {
    const place = `${tool}-${options.replaceAll(/\W+/g, '-')}-${kind}`;
    await mkdir(join(folder, place));
    await writeFile(join(folder, place, 'package.json'), JSON.stringify({ type: kind }));
    const compilerOptions = {
      target: 'es2022',
      strict: true,
      skipLibCheck: true,
      types: ['node'],
      ...JSON.parse(`{${options}}`),
    };
    await cp(join(folder, 'handler.ts'), join(folder, place, 'handler.ts'));
    const imports = entries.map((entry) => `import type {} from '${entry}';\n`);
    await writeFile(join(folder, place, 'entries.ts'), imports.join(''));
    await writeFile(
      join(folder, place, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['handler.ts', 'entries.ts'] }),
    );
    const compilation = run([node, toolFile(tool, 'bin/tsc'), '--project', place, '--pretty', 'false']);
    if (expected[index] === 'works') {
      await compilation;
      await callHandler(project, lab, join(place, 'handler.js'));
    } else {
      await assert.rejects(
        compilation,
        new RegExp(`error ${expected[index]}:`),
        `${versionOf(tool)} compiles it`,
      );
    }
  }
}
