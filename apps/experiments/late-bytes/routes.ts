import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OrdersClientOptions } from '@orders/client';
import { Agent, type Dispatcher, ProxyAgent } from '@orders/client/undici';
import { freePort, freePorts } from '../../../.ci/free-ports.ts';
import { type Certificate, certifyClient } from '../../../packages/client/test/certificates.ts';
import { isInstalled, isListening, nginx, ProxyServer, type Sandbox } from '../proxies/proxies.ts';

/** A way from the client to the service. */
export interface Route {
  readonly name: string;
  readonly scheme: 'http' | 'https';
  /** Starts what lies between, and returns how the client gets there. */
  readonly open: (servicePort: number, sandbox: Sandbox) => Promise<OpenRoute>;
  /** A program that it needs. */
  readonly needs?: 'nginx' | 'squid';
}

interface OpenRoute {
  readonly baseUrl: string;
  /** Packets to this port are dropped. */
  readonly port: number;
  readonly options: Pick<OrdersClientOptions, 'tls' | 'proxy'>;
  /** An undici agent of the user on the same way, which closes with FIN. */
  readonly createDispatcher: () => Dispatcher;
}

/** The ways that are compared; the proxies are real ones. */
export function createRoutes(authority: Certificate, server: Certificate): readonly Route[] {
  const direct = (scheme: Route['scheme']): Route => ({
    name: scheme,
    scheme,
    open: async (port) => ({
      baseUrl: `${scheme}://127.0.0.1:${port}`,
      port,
      options: {},
      createDispatcher: () => new Agent({ allowH2: false }),
    }),
  });
  const mutual: Route = {
    name: 'mutual TLS to nginx',
    scheme: 'http',
    needs: 'nginx',
    open: async (servicePort, sandbox) => {
      const own = await certifyClient(authority);
      const { dir } = sandbox;
      const files = { 'ca.pem': authority.cert, 'server.pem': server.cert, 'server-key.pem': server.key };
      for (const [name, pem] of Object.entries(files)) writeFileSync(join(dir, name), pem, { mode: 0o600 });
      const [plain = 0, port = 0] = await freePorts(2);
      const tls = `listen 127.0.0.1:${port} ssl backlog=512; ssl_certificate DIR/server.pem;
        ssl_certificate_key DIR/server-key.pem; ssl_client_certificate DIR/ca.pem; ssl_verify_client on;`;
      // So that nginx forwards whatever arrives as a whole, also where its sender has closed since then.
      const setup = nginx({ server: tls, location: 'proxy_http_version 1.1; proxy_ignore_client_abort on;' });
      await new ProxyServer(setup, { dir, port: plain, backends: [servicePort] }, sandbox).start();
      const options = { tls: { ca: authority.cert, ...own } };
      const createDispatcher = () => new Agent({ allowH2: false, connect: options.tls });
      return { baseUrl: `https://127.0.0.1:${port}`, port, options, createDispatcher };
    },
  };
  const proxied: Route = {
    name: 'https through squid',
    scheme: 'https',
    needs: 'squid',
    open: async (servicePort, sandbox) => {
      const port = await freePort();
      await startSquid(port, sandbox);
      const ca = authority.cert;
      const proxy = `http://127.0.0.1:${port}`;
      const createDispatcher = () => new ProxyAgent({ uri: proxy, allowH2: false, requestTls: { ca } });
      const baseUrl = `https://127.0.0.1:${servicePort}`;
      return { baseUrl, port, options: { tls: { ca }, proxy }, createDispatcher };
    },
  };
  const routes = [direct('http'), direct('https'), mutual, proxied];
  return routes.filter(({ needs }) => needs === undefined || isInstalled(needs));
}

/** Squid refuses to run as root, so it gets an ordinary user of its own. */
async function startSquid(port: number, sandbox: Sandbox): Promise<void> {
  const dir = join(sandbox.dir, 'squid');
  mkdirSync(dir);
  const config = join(dir, 'squid.conf');
  const lines = [
    `http_port 127.0.0.1:${port}`,
    'http_access allow all',
    'cache deny all',
    'access_log none',
    `cache_log stdio:${dir}/squid.log`,
    'pid_filename none',
    'netdb_filename none',
    'pinger_enable off',
    'shutdown_lifetime 0 seconds',
    `coredump_dir ${dir}`,
  ];
  writeFileSync(config, `${lines.join('\n')}\n`);
  const child = sandbox.spawn('unshare', ['--user', '--map-user=1000', 'squid', '-N', '-f', config], {
    stdio: 'ignore',
  });
  while (!(await isListening(port))) {
    if (child.exitCode !== null) throw new Error(`squid ended with ${child.exitCode}`);
  }
}
