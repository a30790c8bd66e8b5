import { expect, test } from 'vitest';
import { packageNames } from '../src/packing/package-names.ts';
import { readPublished } from './published.ts';
import { openReleased } from './rehearsal.ts';

test('a publish that fails leaves nothing that cannot be installed, and is resumed by running it again', async () => {
  await using rehearsal = await openReleased();
  const { change, commit, must, registry, run, steps } = rehearsal;
  const all = Object.fromEntries(packageNames.map((name) => [name, 'minor' as const]));
  await change(all, 'Change everything.');
  await must(steps.version);
  await commit('Version');
  const before = registry.tries.length;
  const newest = async (name: 'schema' | 'auth' | 'client' | 'testing') =>
    (await readPublished(registry.url, name)).tags['latest'];

  registry.refuseOnce('@orders/auth');
  const { code, output } = await run(steps.release);
  expect(code).not.toBe(0);
  expect(output).toContain('@orders/auth');
  // What depends on the one that failed is not even tried.
  expect(registry.tries.slice(before).toSorted()).toEqual(['@orders/auth', '@orders/schema']);
  expect([await newest('schema'), await newest('auth'), await newest('client')]).toEqual([
    '0.2.0',
    '0.1.0',
    '0.1.0',
  ]);
  expect(await must('git tag --list "*@0.2.0"')).toBe('@orders/schema@0.2.0\n');

  await must(steps.release);
  expect(registry.tries.slice(before + 2).toSorted()).toEqual([
    '@orders/auth',
    '@orders/cli',
    '@orders/client',
    '@orders/outbox',
    '@orders/testing',
  ]);
  expect(await newest('client')).toBe('0.2.0');
  expect((await must('git tag --list "*@0.2.0"')).trim().split('\n')).toHaveLength(packageNames.length);

  await must(steps.release);
  expect(registry.tries).toHaveLength(before + 1 + packageNames.length);
});
