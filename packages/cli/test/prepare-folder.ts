import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { createOrdersClient } from '@orders/client';
import { createOutbox } from '@orders/outbox';
import { pgliteStore } from '@orders/outbox/pglite';
import type { MockOrderService } from '@orders/testing';
import { makePglite } from '../../../.ci/make-pglite.ts';
import { step } from '../../outbox/test/scene.ts';

/** Makes an outbox in a folder that holds an update for each of these tokens, and gives their ids. */
export async function prepareFolder(
  folder: string,
  { url, key }: MockOrderService,
  tokens: readonly string[],
): Promise<readonly string[]> {
  const data = join(folder, 'data');
  await mkdir(data, { recursive: true });
  await using database = await makePglite((options) => PGlite.create(data, options), import.meta.url);
  const client = createOrdersClient({ baseUrl: url, apiKey: key });
  const outbox = await createOutbox({ client, store: await pgliteStore(database) });
  const ids: string[] = [];
  for (const [place, token] of tokens.entries()) ids.push(await outbox.enqueue(token, step(place)));
  await outbox.close();
  await client.close();
  return ids;
}
