import { inspect } from 'node:util';
import * as undiciEntry from '@orders/client';
import * as fetchEntry from '@orders/client/fetch';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cases, expectedIn, runCase } from './cases.ts';
import { startService } from './service.ts';

// The cases that `pnpm runtimes` runs everywhere, here from the sources and in the Node at hand.
const entries = [
  { ...undiciEntry, transport: 'undici', runtime: 'node' },
  { ...fetchEntry, transport: 'fetch', runtime: 'node' },
] as const;
const rows = entries.flatMap((entry) =>
  Object.entries(cases).map(([name, each]) => ({ ...entry, name, each })),
);

let service: Awaited<ReturnType<typeof startService>>;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

test.concurrent.each(rows)('over $transport: $name', async ({ each, ...entry }) => {
  const [expected] = expectedIn(each, entry);
  expect(await runCase(each, { ...entry, service, inspect })).toBe(expected);
});
