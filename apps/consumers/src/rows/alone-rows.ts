import { sent } from '../../projects/facts.ts';
import { npm } from '../installers/installer-list.ts';
import { nodes } from '../machine/tools.ts';
import type { BreakageName } from '../packing/breakage.ts';
import { type PackageName, scoped } from '../packing/package-names.ts';
import { formatBytes } from '../report/sizes.ts';
import { readInstalledTree } from './installed-tree.ts';
import type { Row } from './row.ts';

interface Alone {
  readonly name: PackageName;
  readonly source: string;
  readonly redWhen: readonly BreakageName[];
  /** What may come with it, itself included. */
  readonly mostPackages: number;
  /** Whether it needs an order to update. */
  readonly updates?: true;
}

const projects: readonly Alone[] = [
  {
    name: 'schema',
    source: import.meta.resolve('../../projects/schema-alone.ts'),
    redWhen: [],
    mostPackages: 2,
  },
  {
    name: 'auth',
    source: import.meta.resolve('../../projects/auth-alone.ts'),
    redWhen: ['exports'],
    mostPackages: 1,
  },
  {
    name: 'client',
    source: import.meta.resolve('../../projects/client-alone.ts'),
    redWhen: ['exports', 'dependency'],
    mostPackages: 5,
    updates: true,
  },
  {
    name: 'testing',
    source: import.meta.resolve('../../projects/testing-alone.ts'),
    redWhen: [],
    mostPackages: 12,
  },
  {
    name: 'cli',
    source: import.meta.resolve('../../projects/cli-alone.ts'),
    redWhen: ['exports', 'dependency'],
    mostPackages: 90,
  },
];

/** Each package in a project that has nothing else; what comes with it is counted and weighed. */
export const aloneRows: readonly Row[] = projects.map(({ name, source, redWhen, mostPackages, updates }) => ({
  name: `alone, ${scoped(name)}`,
  redWhen,
  async run(lab) {
    const project = await lab.project({ installer: npm('npm11'), packages: [name] });
    const { packages, bytes } = await readInstalledTree(project.folder);
    if (packages.length > mostPackages) {
      throw new Error(
        `It brings ${packages.length} packages, not ${mostPackages} at most: ${packages.join(', ')}`,
      );
    }
    const script = await project.write(source);
    const order = updates && (await lab.takeOrder());
    await project.run([nodes.ours.path, script, ...(order ? [JSON.stringify(order), 'undici'] : [])]);
    await order?.expectApplied([sent]);
    const tarball = lab.packed.find((packed) => packed.name === name)?.bytes ?? 0;
    const count = packages.length === 1 ? '1 package' : `${packages.length} packages`;
    return `${count}, ${formatBytes(bytes)}; its own ${formatBytes(tarball)} packed`;
  },
}));
