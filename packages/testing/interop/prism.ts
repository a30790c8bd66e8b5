import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { endWithUs } from './end-with-us.ts';
import { programOf } from './installed.ts';
import { refusal } from './loopback-only.ts';
import { onLoopback, quiet } from './run-tool.ts';

/** A running Prism. */
export interface Prism extends AsyncDisposable {
  readonly url: string;
}

const longestMs = 30_000;

/** Starts Prism with a document: alone it is a mock, with an upstream a proxy. Every violation is an error. */
export async function startPrism(document: object, upstream?: string): Promise<Prism> {
  const folder = await mkdtemp(join(tmpdir(), 'orders-interop-'));
  const file = join(folder, 'openapi.json');
  await writeFile(file, JSON.stringify(document));
  const words = upstream === undefined ? ['mock', file] : ['proxy', file, upstream];
  const flags = ['--errors', '--host', '127.0.0.1', '--port', '0'];
  const program = programOf(import.meta.resolve('@stoplight/prism-cli/package.json'), 'prism');
  const child = spawn(process.execPath, [...onLoopback, program, ...words, ...flags], {
    env: quiet,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const clean = (): void => rmSync(folder, { recursive: true, force: true });
  endWithUs(child, clean);
  const closed = once(child, 'close');
  let output = '';
  const dispose = async (): Promise<void> => {
    child.kill('SIGKILL');
    await closed;
    clean();
    if (output.includes(refusal)) throw new Error(output);
  };
  const listening = new Promise<string>((resolve, reject) => {
    const fail = (what: string): void => reject(new Error(`Prism ${what}: ${output}`));
    const timer = setTimeout(() => fail(`did not listen within ${longestMs} ms`), longestMs);
    const read = (chunk: Buffer): void => {
      output += String(chunk);
      const address = /listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(output)?.[1];
      if (address === undefined) return;
      clearTimeout(timer);
      resolve(address);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('close', () => fail('ended'));
  });
  try {
    return { url: await listening, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}
