import { expect, test } from 'vitest';
import { registryConfig } from './registry-config.ts';

test('takes nothing of ours from anywhere else, and everything else from the uplink', () => {
  expect(registryConfig({ storage: '/tmp/storage', uplink: 'https://registry.example/' })).toMatchObject({
    uplinks: { npm: { url: 'https://registry.example/' } },
    packages: {
      '@orders/*': expect.not.objectContaining({ proxy: expect.anything() }),
      '**': { proxy: 'npm' },
    },
  });
});
