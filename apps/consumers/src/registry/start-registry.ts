import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { findUplink } from './find-uplink.ts';
import { registryConfig } from './registry-config.ts';

export interface Registry extends AsyncDisposable {
  /** Ends with a slash. */
  readonly url: string;
}

const startMs = 30_000;

/** Starts a registry on loopback with its storage in the folder. Disposing of it ends it. */
export async function startRegistry(folder: string): Promise<Registry> {
  await mkdir(folder, { recursive: true });
  const child = fork(fileURLToPath(import.meta.resolve('./registry-process.ts')), {
    cwd: folder,
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let complaint = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (complaint += text));
  const ended = once(child, 'close');
  const end = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  try {
    child.send(registryConfig({ storage: folder, uplink: await findUplink() }));
    const late = AbortSignal.timeout(startMs);
    const tooEarly = ended.then(() => Promise.reject(new Error(`the registry did not start\n${complaint}`)));
    const [port]: number[] = await Promise.race([once(child, 'message', { signal: late }), tooEarly]);
    return { url: `http://127.0.0.1:${port}/`, [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw error;
  }
}
