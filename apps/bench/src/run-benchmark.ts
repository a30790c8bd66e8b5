import { startChild } from './child/start-child.ts';
import type { BenchSettings } from './measure/bench-settings.ts';
import { measureImports } from './measure/measure-imports.ts';
import { measurePeers } from './measure/measure-peers.ts';
import { measureService } from './measure/measure-service.ts';
import { measureStream } from './measure/measure-stream.ts';
import { measureValidators } from './measure/measure-validators.ts';
import type { Progress } from './measure/progress.ts';
import type { Measurements } from './report/build-result.ts';

/** Measures everything, one thing after another. It takes as long as the settings say and leaves nothing running. */
export async function runBenchmark(settings: BenchSettings, progress: Progress): Promise<Measurements> {
  await using server = await startChild('server', []);
  const carts = await measurePeers(settings, server, progress);
  const validation = await measureValidators(settings, progress);
  const imports = await measureImports(settings, progress);
  const stream = await measureStream(settings, server, progress);
  const service = await measureService(settings, server, progress);
  return { settings, carts, validation, imports, stream, service };
}
