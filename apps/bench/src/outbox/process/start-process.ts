import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Question, Reply } from '../../child/messages.ts';
import type { Contender } from '../contenders/contender.ts';
import type { ContenderRoleSettings } from './contender-role.ts';
import type { ServiceApi } from './service-role.ts';

/** A process that answers calls, one at a time. */
export interface Started<Api> extends AsyncDisposable {
  readonly pid: number;
  call<Name extends keyof Api & string>(name: Name, ...args: ArgsOf<Api[Name]>): Promise<ResultOf<Api[Name]>>;
  /** Ends the process; resolves when it is gone. */
  close(): Promise<void>;
}

type ArgsOf<T> = T extends (...args: infer Args) => unknown ? Args : never;
type ResultOf<T> = T extends (...args: never[]) => infer Result ? Awaited<Result> : never;

/** Longest time that one call may take, in milliseconds. */
const callTimeoutMs = 900_000;

export const startService = (settings: { readonly orders: number }): Promise<Started<ServiceApi>> =>
  startProcess('service', settings);

/** Starts one process of a queue. */
export const startContender = <Api extends Contender = Contender>(
  settings: ContenderRoleSettings,
): Promise<Started<Api>> => startProcess('contender', settings);

async function startProcess<Api>(role: string, settings: object): Promise<Started<Api>> {
  const child = fork(fileURLToPath(new URL('./main.ts', import.meta.url)), [role, JSON.stringify(settings)], {
    execArgv: ['--conditions=@orders/source'],
    env: withoutProxies(process.env),
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const close = () => endProcess(child);
  try {
    await nextReply(child, role);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    pid: child.pid ?? 0,
    async call(name, ...args) {
      const question: Question = { name, args };
      const replied = nextReply(child, `${role}.${name}`);
      child.send(question);
      return (await replied) as ResultOf<Api[typeof name]>;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The traffic is for this machine alone, whatever proxy the environment names. */
function withoutProxies(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/proxy/i.test(name)));
}

function nextReply(child: ChildProcess, what: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      child.off('message', onMessage).off('exit', onExit);
      settle();
    };
    const fail = (why: string): void => end(() => reject(new Error(`${what}: ${why}`)));
    const onMessage = (message: unknown): void => {
      const reply = message as Reply;
      if (reply.type === 'failed') fail(reply.message);
      else end(() => resolve(reply.type === 'result' ? reply.result : undefined));
    };
    const onExit = (code: number | null, signal: string | null): void => fail(`ended with ${signal ?? code}`);
    const timer = setTimeout(() => fail(`no answer in ${callTimeoutMs} ms`), callTimeoutMs);
    child.on('message', onMessage).on('exit', onExit);
  });
}

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  if (child.connected) child.disconnect();
  const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await gone;
  clearTimeout(timer);
}
