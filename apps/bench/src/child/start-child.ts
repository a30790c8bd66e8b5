import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import type { Question, Reply } from './messages.ts';
import type { ApiOf, RoleName, Roles } from './roles.ts';

export interface ChildOptions {
  /** Flags of Node, such as `--expose-gc`. */
  readonly flags?: readonly string[];
  /** Longest time that one call may take, in milliseconds. @default 120_000 */
  readonly callTimeoutMs?: number;
  /** The program that plays the role. @default the one that knows the roles of `roles.ts` */
  readonly program?: URL;
}

/** A process that answers calls, one at a time. */
export interface Started<Api> extends AsyncDisposable {
  readonly pid: number;
  call<Name extends keyof Api & string>(name: Name, ...args: ArgsOf<Api[Name]>): Promise<ResultOf<Api[Name]>>;
  /** Ends the process; resolves when it is gone. */
  close(): Promise<void>;
}

/** A process in one role. */
export type Child<Role extends RoleName> = Started<ApiOf<Role>>;

type ArgsOf<T> = T extends (...args: infer Args) => unknown ? Args : never;
type ResultOf<T> = T extends (...args: never[]) => infer Result ? Awaited<Result> : never;

const isSource = import.meta.filename.endsWith('.ts');
const knowsRoles = isSource
  ? new URL('../child.ts', import.meta.url)
  : new URL('../child.js', import.meta.url);
const sourceFlags = isSource ? ['--conditions=@orders/source'] : [];

/** Starts a process in a role and resolves when it can be called. */
export function startChild<Role extends RoleName>(
  role: Role,
  args: Parameters<Roles[Role]>,
  options: ChildOptions = {},
): Promise<Child<Role>> {
  return startProcess<ApiOf<Role>>(role, args, options);
}

/** The same for a role of another program. */
export async function startProcess<Api>(
  role: string,
  args: readonly string[],
  options: ChildOptions = {},
): Promise<Started<Api>> {
  const { flags = [], callTimeoutMs = 120_000, program = knowsRoles } = options;
  const child = fork(program, [role, ...args], {
    execArgv: [...sourceFlags, ...flags],
    env: withoutProxies(process.env),
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const close = () => endProcess(child);
  try {
    await nextReply(child, role, callTimeoutMs);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    pid: child.pid ?? 0,
    async call(name, ...callArgs) {
      const question: Question = { name, args: callArgs };
      const replied = nextReply(child, `${role}.${name}`, callTimeoutMs);
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

function nextReply(child: ChildProcess, what: string, timeoutMs: number): Promise<unknown> {
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
    const timer = setTimeout(() => fail(`no answer in ${timeoutMs} ms`), timeoutMs);
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
