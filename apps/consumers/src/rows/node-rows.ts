import { npm } from '../installers/installer-list.ts';
import { nodes } from '../machine/tools.ts';
import { everyEntry, everyPackage, writeEntriesScript } from './every-package.ts';
import type { Row } from './row.ts';

const ways = [
  { verb: 'import', format: 'esm' },
  { verb: 'require', format: 'cjs' },
] as const;

/** Every package in one project, in each Node, as modules and as CommonJS. */
export const nodeRows: readonly Row[] = Object.values(nodes).flatMap((node) =>
  ways.map(
    ({ verb, format }): Row => ({
      name: `Node, ${node.version} by ${verb}`,
      redWhen: ['exports'],
      async run(lab) {
        const project = await lab.project(everyPackage(lab, npm('npm11')));
        const app = await project.write(import.meta.resolve('../../projects/all-four.ts'), format);
        const entries = await writeEntriesScript(lab, { folder: project.folder, format });
        for (const script of [app, entries]) {
          const { stderr } = await project.run([node.path, script], lab.environment(node.path));
          if (stderr !== '') throw new Error(`${script} prints: ${stderr}`);
        }
        return `${everyEntry(lab).length} entries load`;
      },
    }),
  ),
);
