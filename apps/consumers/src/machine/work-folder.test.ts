import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { openWorkFolder } from './work-folder.ts';

test('is gone with everything in it once it is disposed of', async () => {
  const work = await openWorkFolder({ keep: false });
  const folder = await work.open('yarn 4.18.1 pnp @orders/client');
  expect([existsSync(folder), basename(folder)]).toEqual([true, '1-yarn-4.18.1-pnp-orders-client']);
  await work[Symbol.asyncDispose]();
  expect(existsSync(work.path)).toBe(false);
});

test('gives nobody a folder that another has', async () => {
  await using work = await openWorkFolder({ keep: false });
  expect(await work.open('shop')).not.toBe(await work.open('shop'));
});

test('stays when it is to be kept', async () => {
  const work = await openWorkFolder({ keep: true });
  await work[Symbol.asyncDispose]();
  expect(existsSync(work.path)).toBe(true);
  await rm(work.path, { recursive: true });
});
