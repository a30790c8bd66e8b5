import { inspect } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectedIn } from '../runtimes/columns.ts';
import type { Context } from '../runtimes/context.ts';
import { startPlaces } from '../runtimes/places.ts';
import { cases, runCase } from '../runtimes/suite.ts';
import * as fetchEntry from '../src/fetch.ts';
import * as mainEntry from '../src/index.ts';

// The suite that `pnpm runtimes` runs everywhere, here from the sources and in the Node at hand.
const entries = [
  { entry: 'main', sdk: mainEntry, fetchOf: undefined },
  { entry: 'fetch', sdk: fetchEntry, fetchOf: 'node' },
] as const;
const rows = entries.flatMap((entry) => cases.map((each) => ({ ...entry, each, name: each.name })));

let places: Awaited<ReturnType<typeof startPlaces>>;
beforeAll(async () => {
  places = await startPlaces();
});
afterAll(() => places[Symbol.asyncDispose]());

test.concurrent.each(rows)('$entry: $name', async ({ sdk, fetchOf, each, name }) => {
  const context: Context = { sdk, loadMain: async () => mainEntry, places, inspect };
  expect(await runCase(each, context)).toEqual({ name, told: expectedIn({ fetchOf }, each) });
});
