import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const timeout = 120_000;
const killSignal = 'SIGKILL';

type Exit = Readonly<Record<'stdout' | 'stderr', string>> & { readonly code: number };

/** Runs a program in this folder until it exits. Rejects when it does not start or runs for two minutes. */
export function run(
  program: string,
  args: readonly string[],
  { input, env }: { readonly input?: string | undefined; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<Exit> {
  return new Promise((resolve, reject) => {
    const options = {
      cwd: import.meta.dirname,
      env: { ...process.env, ...env },
      timeout,
      killSignal,
      maxBuffer: 16_777_216,
    } as const;
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      if (typeof code === 'number') resolve({ code, stdout, stderr });
      // Its own message holds the command line, and the key in it.
      else reject(new Error(`${program} failed with ${code ?? error?.signal}: ${stderr}`));
    });
    // curl may have its response before it has read everything.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

/** Runs a script in a Node process. A package's script, not the shim in `.bin`, so that killing it kills the program. */
export function runScript(url: string, args: readonly string[]): Promise<Exit> {
  return run(process.execPath, [fileURLToPath(url), ...args]);
}

/** Starts a script, and returns the first group of what its output matches; disposing of it kills it. */
export async function startScript(
  url: string,
  args: readonly string[],
  pattern: RegExp,
): Promise<AsyncDisposable & { readonly match: string }> {
  const child = spawn(process.execPath, [fileURLToPath(url), ...args], { timeout, killSignal });
  const closed = once(child, 'close');
  const kill = (): boolean => child.kill(killSignal);
  process.once('exit', kill);
  const match = await new Promise<string>((resolve, reject) => {
    let output = '';
    const read = (chunk: Buffer): void => {
      output += chunk;
      const found = pattern.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('close', () => reject(new Error(`${url} exited: ${output}`)));
  });
  const dispose = async (): Promise<void> => {
    process.off('exit', kill);
    kill();
    await closed;
  };
  return { match, [Symbol.asyncDispose]: dispose };
}
