import type { Installer } from '../installers/installer.ts';
import { bun, npm, pnpm, yarnBerry, yarnClassic } from '../installers/installer-list.ts';
import type { Lab } from '../lab/lab.ts';
import type { Row } from './row.ts';

interface Layout {
  readonly installer: (lab: Pick<Lab, 'registry'>) => Installer;
  /** Whether a package reaches what it does not declare. */
  readonly hoists: boolean;
  /** What else the project declares, with ranges. */
  readonly beside?: Readonly<Record<string, string>>;
}

const layouts: readonly Layout[] = [
  { installer: () => npm('npm10'), hoists: true },
  { installer: () => npm('npm11'), hoists: true },
  { installer: () => npm('npm11'), hoists: true, beside: { zod: '3', undici: '6' } },
  { installer: () => pnpm('pnpm10'), hoists: false },
  { installer: () => pnpm('pnpm12'), hoists: false },
  { installer: () => yarnClassic(), hoists: true },
  { installer: ({ registry }) => yarnBerry('node-modules', registry), hoists: true },
  { installer: ({ registry }) => yarnBerry('pnp', registry), hoists: false },
  { installer: () => bun('hoisted'), hoists: true },
  { installer: () => bun('isolated'), hoists: false },
];

/** The client and its tests' service, brought by each installer, and the program that comes with them. */
export const installerRows: readonly Row[] = layouts.map(({ installer, hoists, beside }) => ({
  name: `install, ${installer({ registry: '' }).name}${beside ? ` beside ${namesOf(beside)}` : ''}`,
  redWhen: hoists ? ['exports'] : ['exports', 'dependency'],
  async run(lab) {
    const project = await lab.project({
      installer: installer(lab),
      packages: ['client', 'testing'],
      others: beside,
    });
    const { script, bin } = project.installer;
    const app = await project.write(import.meta.resolve('../../projects/client-and-testing.ts'));
    await project.run(script(app));
    const { stdout } = await project.run(bin('orders-service', '--version'));
    if (!stdout.includes(lab.version)) throw new Error(`orders-service says it is ${stdout}`);
    return '';
  },
}));

function namesOf(packages: Readonly<Record<string, string>>): string {
  return Object.entries(packages)
    .map((named) => named.join(' '))
    .join(' and ');
}
