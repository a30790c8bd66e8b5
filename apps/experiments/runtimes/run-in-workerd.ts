import { join } from 'node:path';
import { build } from 'esbuild';
import type { Service } from './service.ts';

/** What is used of miniflare, which is there only where this folder is installed. */
interface MiniflareModule {
  readonly Miniflare: new (options: {
    readonly modules: true;
    readonly script: string;
    readonly compatibilityDate: string;
    /** `false` keeps it from requesting its location from Cloudflare. */
    readonly cf: false;
    readonly handleRuntimeStdio: (stdout: NodeJS.ReadableStream, stderr: NodeJS.ReadableStream) => void;
  }) => {
    dispatchFetch(url: string, init: RequestInit): Promise<Response>;
    dispose(): Promise<void>;
  };
}
const installed = 'miniflare';

// Nothing in workerd prints a value in depth; the cases walk through it all the same.
const worker = `
import * as entry from '@orders/client';
import { runCases } from './cases.ts';
export default {
  async fetch(request) {
    const service = await request.json();
    return Response.json(await runCases({ ...entry, transport: 'fetch', service, inspect: String }));
  },
};
`;

/** Runs the cases in workerd, bundled under the conditions that Cloudflare's tools set; returns the response's body. */
export async function runInWorkerd(service: Service, signal: AbortSignal): Promise<string> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: worker, resolveDir: import.meta.dirname },
    absWorkingDir: join(import.meta.dirname, '../../../packages/client'),
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
      // workerd logs each connection that breaks, and the cases break many.
      stderr.resume();
    },
  });
  try {
    const body = JSON.stringify(service);
    const response = await miniflare.dispatchFetch('http://worker/', { method: 'POST', body, signal });
    return await response.text();
  } finally {
    await miniflare.dispose();
  }
}
