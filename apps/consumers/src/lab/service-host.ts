import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Place } from '../../projects/facts.ts';
import type { Project } from './project.ts';

export interface HostedOrder extends Place {
  /** Resolves when the service has applied these bodies to the order, and no others. */
  readonly expectApplied: (bodies: readonly unknown[]) => Promise<void>;
}

/** An order service of the installed package, in a process of its own. */
export interface ServiceHost extends AsyncDisposable {
  /** An order that nobody else has. */
  readonly takeOrder: () => HostedOrder;
}

const mostOrders = 200;

interface Ready {
  readonly url: string;
  readonly key: string;
  readonly tokens: readonly string[];
}

interface Applied {
  readonly token: string;
  readonly applied: unknown;
}

/** Starts the order service that a project with @orders/testing has installed. */
export async function startServiceHost(project: Project, env: NodeJS.ProcessEnv): Promise<ServiceHost> {
  const script = await project.write(import.meta.resolve('../../projects/service-host.ts'));
  const child = fork(join(project.folder, script), [String(mostOrders)], {
    cwd: project.folder,
    env,
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'close');
  const tooEarly = ended.then(() => Promise.reject(new Error('The order service ended too early.')));
  tooEarly.catch(() => {});
  const [{ url, key, tokens }] = (await Promise.race([once(child, 'message'), tooEarly])) as [Ready];
  const free = [...tokens];

  const waiting = new Map<string, (applied: unknown) => void>();
  child.on('message', ({ token, applied }: Applied) => waiting.get(token)?.(applied));
  const askApplied = async (token: string): Promise<unknown> => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    waiting.set(token, resolve);
    child.send(token);
    return Promise.race([promise, tooEarly]);
  };
  return {
    takeOrder() {
      const token = free.pop();
      if (token === undefined) throw new Error(`More than ${mostOrders} orders were taken.`);
      return {
        url,
        key,
        token,
        async expectApplied(bodies) {
          const found = await askApplied(token);
          if (!isDeepStrictEqual(found, bodies))
            throw new Error(`The ledger holds ${JSON.stringify(found)}.`);
        },
      };
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
