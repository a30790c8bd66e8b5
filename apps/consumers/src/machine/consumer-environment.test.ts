import process from 'node:process';
import { expect, test, vi } from 'vitest';
import { consumerEnvironment } from './consumer-environment.ts';

test('passes on no setting of a package manager, and no program of the repository', () => {
  vi.stubEnv('npm_config_registry', 'https://registry.example');
  vi.stubEnv('NODE_OPTIONS', '--conditions=@orders/source');
  vi.stubEnv('CI', 'true');
  vi.stubEnv('PATH', '/repository/node_modules/.bin:/usr/bin');
  const env = consumerEnvironment({ home: '/home/shop', node: '/opt/node22/bin/node' });
  vi.unstubAllEnvs();
  expect(env).toMatchObject({ HOME: '/home/shop', PATH: '/opt/node22/bin:/usr/bin' });
  expect(Object.keys(env)).not.toEqual(expect.arrayContaining(['npm_config_registry']));
  expect(env['NODE_OPTIONS'] ?? env['CI']).toBeUndefined();
});

test('has the Node of this repository unless told', () => {
  const [first] = consumerEnvironment({ home: '/home/shop' })['PATH']?.split(':') ?? [];
  expect(process.execPath.startsWith(`${first}/`)).toBe(true);
});
