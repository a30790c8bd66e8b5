import { Hono } from 'hono';
import type { Metrics } from './metrics.ts';

/** Health and metrics over HTTP; nothing can be changed by it. `findProblem` says why updates are not sent now. */
export function observationApp(metrics: Metrics, findProblem: () => Promise<string | undefined>): Hono {
  const app = new Hono();
  app.use(async (c, next) => {
    await next();
    c.header('cache-control', 'no-store');
    c.header('x-content-type-options', 'nosniff');
  });
  app.get('/healthz', (c) => c.text('alive\n'));
  app.get('/readyz', async (c) => {
    const problem = await findProblem();
    return problem === undefined ? c.text('ready\n') : c.text(`${problem.replace(/\s+/g, ' ')}\n`, 503);
  });
  app.get('/metrics', async (c) =>
    c.body(await metrics.read(), 200, { 'content-type': metrics.contentType }),
  );
  app.notFound((c) => c.text('There are /healthz, /readyz and /metrics.\n', 404));
  app.onError((_, c) => c.text('This cannot be told now.\n', 500));
  return app;
}
