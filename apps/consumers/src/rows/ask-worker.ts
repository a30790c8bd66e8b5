import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { HostedOrder } from '../lab/service-host.ts';
import { toolsFolder } from '../machine/tools.ts';

/** What is used of miniflare, which is there only where the tools are. */
interface MiniflareModule {
  readonly Miniflare: new (options: {
    readonly modules: true;
    readonly script: string;
    readonly compatibilityDate: string;
    /** `false` keeps it from asking Cloudflare where it is. */
    readonly cf: false;
    readonly handleRuntimeStdio: (stdout: NodeJS.ReadableStream, stderr: NodeJS.ReadableStream) => void;
  }) => {
    dispatchFetch(url: string, init: RequestInit): Promise<Response>;
    dispose(): Promise<void>;
  };
}

export interface Question {
  /** The project in which the worker is bundled. */
  readonly folder: string;
  /** Its file, which exports `worker`. */
  readonly worker: string;
  readonly order: HostedOrder;
  readonly signal: AbortSignal;
}

/** Bundles a worker as Cloudflare's tools do, without their stand-ins for Node, and has it update the order. */
export async function askWorker({ folder, worker, order, signal }: Question): Promise<void> {
  const { outputFiles } = await build({
    stdin: { contents: `export { worker as default } from './${worker}';`, resolveDir: folder },
    absWorkingDir: folder,
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2023',
    conditions: ['workerd', 'worker', 'browser'],
    logLevel: 'silent',
  });
  const load = createRequire(join(toolsFolder, 'package.json'));
  const { Miniflare }: MiniflareModule = load('miniflare');
  let complaint = '';
  const miniflare = new Miniflare({
    modules: true,
    script: outputFiles[0]?.text ?? '',
    compatibilityDate: '2026-07-01',
    cf: false,
    handleRuntimeStdio: (stdout, stderr) => {
      stdout.resume();
      stderr.on('data', (text) => (complaint += text));
    },
  });
  try {
    const body = JSON.stringify(order);
    const limit = AbortSignal.any([signal, AbortSignal.timeout(30_000)]);
    const answer = await miniflare.dispatchFetch('http://worker/', { method: 'POST', body, signal: limit });
    if (!answer.ok)
      throw new Error(`The worker answered ${answer.status}: ${await answer.text()}${complaint}`);
  } finally {
    await miniflare.dispose();
  }
}
