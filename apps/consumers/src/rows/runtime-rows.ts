import { sent } from '../../projects/facts.ts';
import type { Installer } from '../installers/installer.ts';
import { bun, deno, npm } from '../installers/installer-list.ts';
import type { Command } from '../machine/run-program.ts';
import { nodes, toolVersion } from '../machine/tools.ts';
import { askWorker } from './ask-worker.ts';
import type { Row } from './row.ts';

interface OtherRuntime {
  readonly name: string;
  readonly installer: Installer;
  readonly source: string;
  readonly command: Command;
  /** What the client must send with. */
  readonly transport: 'undici' | 'fetch';
}

const main = import.meta.resolve('../../projects/client-alone.ts');
const overFetch = import.meta.resolve('../../projects/fetch-alone.ts');
const [denoProgram] = deno().install;
const [bunProgram] = bun('isolated').install;
const runInDeno: Command = [
  denoProgram,
  ...['run', '--quiet', '--no-prompt', '--no-remote', '--node-modules-dir=manual'],
  ...['--allow-net=127.0.0.1', '--allow-read', '--allow-env'],
];

const runtimes: readonly OtherRuntime[] = [
  {
    name: `Node ${nodes.ours.version} fetch`,
    installer: npm('npm11'),
    source: overFetch,
    command: [nodes.ours.path],
    transport: 'fetch',
  },
  {
    name: `${deno().name} main`,
    installer: deno(),
    source: main,
    command: runInDeno,
    transport: 'undici',
  },
  {
    name: `${deno().name} fetch`,
    installer: deno(),
    source: overFetch,
    command: runInDeno,
    transport: 'fetch',
  },
  {
    name: `bun ${toolVersion('bun')} main`,
    installer: bun('isolated'),
    source: main,
    command: [bunProgram, '--no-install'],
    transport: 'fetch',
  },
];

/** The client alone, installed by a runtime's own installer where it has one, updates an order. */
export const runtimeRows: readonly Row[] = [
  ...runtimes.map(
    ({ name, installer, source, command, transport }): Row => ({
      name: `runtime, ${name}`,
      redWhen: ['exports', 'dependency'],
      async run(lab) {
        const project = await lab.project({ installer, packages: ['client'] });
        const script = await project.write(source);
        const order = await lab.takeOrder();
        await project.run([...command, script, JSON.stringify(order), transport]);
        await order.expectApplied([sent]);
        return `over ${transport}`;
      },
    }),
  ),
  {
    name: `runtime, workerd of miniflare ${toolVersion('miniflare')}`,
    redWhen: ['exports', 'dependency', 'node-import'],
    async run(lab) {
      const project = await lab.project({ installer: npm('npm11'), packages: ['client'] });
      const worker = await project.write(import.meta.resolve('../../projects/worker.ts'));
      const order = await lab.takeOrder();
      await askWorker({ folder: project.folder, worker, order, signal: lab.signal });
      await order.expectApplied([sent]);
      return 'over fetch';
    },
  },
];
