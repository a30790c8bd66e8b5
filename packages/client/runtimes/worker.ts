import type { Context } from './context.ts';
import { cases, runCase } from './suite.ts';

/** A worker that runs the suite: it is asked with the places and answers with the results, a line each, as JSON. */
export function workerOf({ sdk, loadMain }: Pick<Context, 'sdk' | 'loadMain'>) {
  return {
    async fetch(request: Request): Promise<Response> {
      const places = (await request.json()) as Context['places'];
      // Nothing here prints a value in depth; the suite walks through it all the same.
      const context: Context = { sdk, loadMain, places, inspect: String };
      const lines: string[] = [];
      for (const each of cases) lines.push(JSON.stringify(await runCase(each, context)));
      return new Response(lines.join('\n'));
    },
  };
}
