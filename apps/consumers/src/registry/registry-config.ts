export interface RegistryPlaces {
  /** A folder of its own. */
  readonly storage: string;
  /** The registry that everything but our own packages comes from. */
  readonly uplink: string;
}

/** What verdaccio is told. */
export function registryConfig({ storage, uplink }: RegistryPlaces): object {
  return {
    // Relative paths in it begin here.
    configPath: storage,
    storage,
    uplinks: { npm: { url: uplink, timeout: '30s', maxage: '1h' } },
    packages: {
      // Without an uplink, so that what is published elsewhere never stands in for what was packed here.
      '@orders/*': { access: '$all', publish: '$all', unpublish: '$all' },
      '**': { access: '$all', proxy: 'npm' },
    },
    auth: {},
    web: { enable: false },
    max_body_size: '50mb',
    log: { type: 'stdout', format: 'json', level: 'warn' },
  };
}
