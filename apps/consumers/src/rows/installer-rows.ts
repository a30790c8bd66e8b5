import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Installer } from '../installers/installer.ts';
import { bun, npm, pnpm, yarnBerry, yarnClassic } from '../installers/installer-list.ts';
import type { Lab } from '../lab/lab.ts';
import type { PackageName } from '../packing/package-names.ts';
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

const sources = [
  import.meta.resolve('../../projects/client-and-testing.ts'),
  import.meta.resolve('../../projects/outbox-in-memory.ts'),
];
const updates = 'token,cart.items[0].sku,cart.items[0].unit_price\nord_1,mug,"129,00"\n';

/** The client, its tests' service, the outbox and the command, brought by each installer. */
export const installerRows: readonly Row[] = layouts.map(({ installer, hoists, beside }) => ({
  name: `install, ${installer({ registry: '' }).name}${beside ? ` beside ${namesOf(beside)}` : ''}`,
  redWhen: hoists ? ['exports'] : ['exports', 'dependency'],
  async run(lab) {
    const project = await lab.project({
      installer: installer(lab),
      packages: ['client', 'testing', 'outbox', 'cli'],
      others: { ...beside, ...peersOf(lab, 'outbox') },
    });
    const { script, bin } = project.installer;
    for (const source of sources) await project.run(script(await project.write(source)));
    const orders = async (...words: readonly string[]): Promise<string> =>
      (await project.run(bin('orders', ...words))).stdout;
    const version = await orders('--version');
    if (!version.includes(lab.version)) throw new Error(`orders says it is ${version}`);
    const help = await orders('--help');
    if (!help.includes('Usage: orders')) throw new Error(`orders --help prints ${help}`);
    await writeFile(join(project.folder, 'updates.csv'), updates);
    const valid = await orders('validate', 'updates.csv', '--decimals', '2', '--json');
    if (!valid.includes('"valid":true')) throw new Error(`orders validate prints ${valid}`);
    return '';
  },
}));

/** What a package asks its users to install beside it. */
function peersOf({ packed }: Pick<Lab, 'packed'>, name: PackageName): Readonly<Record<string, string>> {
  return packed.find((each) => each.name === name)?.manifest.peerDependencies ?? {};
}

function namesOf(packages: Readonly<Record<string, string>>): string {
  return Object.entries(packages)
    .map((named) => named.join(' '))
    .join(' and ');
}
