import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Places } from './context.ts';

/** What is used of miniflare, which is there only where this folder is installed. */
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
const installed = 'miniflare';

/** The bundle as a worker's author would make it, with the conditions that Cloudflare's tools set. */
const script = `
import * as sdk from '@orders/client/fetch';
import * as main from '@orders/client';
import { workerOf } from ${JSON.stringify(fileURLToPath(import.meta.resolve('./worker.ts')))};
export default workerOf({ sdk, loadMain: async () => main });
`;

/** Runs the suite in workerd and gives its lines of output. */
export async function runInWorkerd(places: Places, signal: AbortSignal): Promise<string> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: script, resolveDir: import.meta.dirname, loader: 'ts' },
    absWorkingDir: dirname(import.meta.dirname),
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    target: 'es2023',
    conditions: ['workerd', 'worker', 'browser'],
  });
  const inputs = Object.keys(metafile.inputs);
  if (!inputs.includes('dist/fetch.js') || inputs.some((input) => /^src\/|undici/.test(input))) {
    throw new Error(`the worker is not made of the built package alone: ${inputs.join(', ')}`);
  }
  const { Miniflare }: MiniflareModule = await import(installed);
  const miniflare = new Miniflare({
    modules: true,
    script: outputFiles[0]?.text ?? '',
    // Before Cloudflare's `Request` knew `cache`, which it then refuses.
    compatibilityDate: '2024-09-23',
    cf: false,
    handleRuntimeStdio: (stdout, stderr) => {
      stdout.resume();
      // workerd logs each connection that breaks, and the suite breaks many.
      stderr.resume();
    },
  });
  try {
    const body = JSON.stringify(places);
    const answer = await miniflare.dispatchFetch('http://worker/', { method: 'POST', body, signal });
    return await answer.text();
  } finally {
    await miniflare.dispose();
  }
}
