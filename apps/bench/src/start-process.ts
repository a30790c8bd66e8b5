import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';

/** A process of its own; it handles one call at a time. */
export interface RemoteProcess<Api> extends AsyncDisposable {
  call<Name extends keyof Api & string>(
    name: Name,
    ...args: Arguments<Api[Name]>
  ): Promise<Result<Api[Name]>>;
}

/** The API that a module's `start` resolves with. */
export type ApiOf<Module extends Startable> = Awaited<ReturnType<Module['start']>>;

interface Startable {
  start(settings: never): unknown;
}
type Arguments<T> = T extends (...args: infer Args) => unknown ? Args : never;
type Result<T> = T extends (...args: never[]) => infer Returned ? Awaited<Returned> : never;

const callTimeoutMs = 900_000;
// Vitest resolves packages to their sources, and does not pass that on.
const flags = process.env['VITEST'] ? ['--conditions=@orders/source'] : process.execArgv;

/** Starts a module of this folder in a process of its own; `file` is relative to it. */
export async function startProcess<Module extends Startable>(
  file: string,
  settings: Parameters<Module['start']>[0],
  extraFlags: readonly string[] = [],
): Promise<RemoteProcess<ApiOf<Module>>> {
  const child = fork(
    join(import.meta.dirname, 'child.ts'),
    [join(import.meta.dirname, file), JSON.stringify(settings)],
    { execArgv: [...flags, ...extraFlags], env: withoutProxies(process.env), serialization: 'advanced' },
  );
  const exited = once(child, 'exit');
  const crashed = exited.then(([code, signal]) => {
    throw new Error(`${file} exited with ${signal ?? code}.`);
  });
  crashed.catch(() => {});
  const close = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  const nextReply = async (): Promise<unknown> => {
    const replied = once(child, 'message', { signal: AbortSignal.timeout(callTimeoutMs) });
    const [reply] = await Promise.race([replied, crashed]);
    if (reply.error) throw reply.error;
    return reply.result;
  };
  try {
    await nextReply();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    async call(name, ...args) {
      const reply = nextReply();
      child.send({ name, args });
      return (await reply) as never;
    },
    [Symbol.asyncDispose]: close,
  };
}

/** All traffic stays on this machine, whatever proxy the environment names. */
function withoutProxies(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/proxy/i.test(name)));
}
