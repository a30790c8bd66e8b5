import { type Child, startChild } from '../child/start-child.ts';
import type { BenchSettings } from './bench-settings.ts';
import type { Progress } from './progress.ts';
import type { StreamMemory } from './stream-role.ts';

/** Streams updates through `updateOrders`, and tells what was held in memory at each tenth of the way. */
export async function measureStream(
  settings: BenchSettings,
  server: Child<'server'>,
  progress: Progress,
): Promise<StreamMemory> {
  const { streamUpdates: updates, concurrency } = settings;
  progress.begin(`${updates} updates through updateOrders`, 1);
  const url = await server.call('url');
  await using child = await startChild('stream', [url], { flags: ['--expose-gc'], callTimeoutMs: 300_000 });
  const memory = await child.call('stream', { updates, concurrency, every: updates / 10 });
  const arrived = await server.call('takeCount');
  if (arrived !== updates || memory.applied !== updates) {
    throw new Error(`updateOrders: ${memory.applied} of ${updates} applied, ${arrived} arrived.`);
  }
  progress.step();
  progress.end();
  return memory;
}
