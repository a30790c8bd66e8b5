import { copyFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pnpm } from '../installers/installer-list.ts';
import type { Lab } from '../lab/lab.ts';
import type { Project } from '../lab/project.ts';
import { nodes, toolFile, toolVersion } from '../machine/tools.ts';
import { everyEntry, everyPackage } from './every-package.ts';
import type { Row } from './row.ts';

interface Compilation {
  readonly tool: 'typescript5' | 'typescript6' | 'typescript7';
  readonly resolution: 'nodenext' | 'bundler';
  readonly skipLibCheck: boolean;
  readonly exactOptionalPropertyTypes: boolean;
}

const compilations: readonly Compilation[] = (['typescript5', 'typescript6', 'typescript7'] as const).flatMap(
  (tool) =>
    (['nodenext', 'bundler'] as const).flatMap((resolution) =>
      [false, true].flatMap((skipLibCheck) =>
        [false, true].map((exactOptionalPropertyTypes) => ({
          tool,
          resolution,
          skipLibCheck,
          exactOptionalPropertyTypes,
        })),
      ),
    ),
);

/** A back end and a page in TypeScript, with declarations of their own, compiled in every way that is asked for. */
export const typeRows: readonly Row[] = compilations.map((compilation) => ({
  name: `TypeScript, ${nameOf(compilation)}`,
  redWhen: ['types'],
  async run(lab) {
    const [server, page] = await Promise.all([serverProject(lab), pageProject(lab)]);
    await compile(server, compilation, {
      files: ['server.ts', 'entries.ts', ...(compilation.resolution === 'nodenext' ? ['server.cts'] : [])],
      options: { lib: ['es2022'], types: ['node'] },
    });
    await compile(page, compilation, { files: ['page.ts'], options: { lib: ['es2022', 'dom'], types: [] } });
    return '';
  },
}));

function nameOf({ tool, resolution, skipLibCheck, exactOptionalPropertyTypes }: Compilation): string {
  const lib = skipLibCheck ? 'skipLibCheck' : 'all checked';
  return `${toolVersion(tool)} ${resolution}, ${lib}${exactOptionalPropertyTypes ? ', exactOptional' : ''}`;
}

const sources = {
  server: import.meta.resolve('../../projects/typed/server.ts'),
  commonJs: import.meta.resolve('../../projects/typed/server.cts'),
  page: import.meta.resolve('../../projects/typed/page.ts'),
} as const;

async function serverProject(lab: Lab): Promise<Project> {
  const { others, ...recipe } = everyPackage(lab, pnpm('pnpm12'));
  const project = await lab.project({ ...recipe, others: { ...others, '@types/node': '22' } });
  const entries = everyEntry(lab);
  const imports = entries.map((entry, index) => {
    return `import * as entry${index} from '${entry}'${entry.endsWith('.json') ? " with { type: 'json' }" : ''};`;
  });
  const names = entries.map((_, index) => `entry${index}`).join(', ');
  await writeFile(
    join(project.folder, 'entries.ts'),
    `${imports.join('\n')}\nexport const loaded = [${names}];\n`,
  );
  await copy(sources.server, project);
  await copy(sources.commonJs, project);
  return project;
}

async function pageProject(lab: Lab): Promise<Project> {
  const project = await lab.project({ installer: pnpm('pnpm12'), packages: ['schema', 'auth', 'client'] });
  await copy(sources.page, project);
  return project;
}

async function copy(source: string, { folder }: Project): Promise<void> {
  await copyFile(fileURLToPath(source), join(folder, basename(source)));
}

interface Program {
  readonly files: readonly string[];
  readonly options: object;
}

async function compile(
  { folder, run }: Project,
  { tool, resolution, ...flags }: Compilation,
  { files, options }: Program,
): Promise<void> {
  const name = [tool, resolution, ...Object.values(flags)].join('-');
  const compilerOptions = {
    ...options,
    ...flags,
    module: resolution === 'bundler' ? 'esnext' : 'nodenext',
    moduleResolution: resolution,
    target: 'es2022',
    strict: true,
    declaration: true,
    resolveJsonModule: true,
    outDir: join('out', name),
    rootDir: '.',
  };
  await writeFile(join(folder, `tsconfig.${name}.json`), JSON.stringify({ compilerOptions, files }, null, 2));
  await run([
    nodes.ours.path,
    toolFile(tool, 'bin', 'tsc'),
    '--project',
    `tsconfig.${name}.json`,
    '--pretty',
    'false',
  ]);
}
