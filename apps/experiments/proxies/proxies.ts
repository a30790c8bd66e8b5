import { type ChildProcess, execFile, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { insideTestLimitMs } from '../../../.ci/limits.ts';

export type ProxyName = 'nginx' | 'haproxy' | 'varnish';

/** Where an experiment takes place: a folder and loopback ports of its own. */
export interface Place {
  readonly dir: string;
  readonly port: number;
  readonly backends: readonly number[];
}

/** A proxy and its configuration, in which `DIR` stands for the folder with the pages of `writePages`. */
export interface ProxySetup {
  readonly proxy: ProxyName;
  readonly render: (place: Place) => string;
  /** More arguments of its program. */
  readonly args?: readonly string[];
}

const programs = { nginx: 'nginx', haproxy: 'haproxy', varnish: 'varnishd' } as const;

// Debian keeps servers where the PATH of an ordinary user does not lead.
const env = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/local/sbin:/usr/sbin:/sbin` };

export function isInstalled(proxy: ProxyName | 'squid'): boolean {
  const versionFlag = proxy === 'varnish' ? '-V' : '-v';
  const program = proxy === 'squid' ? proxy : programs[proxy];
  return spawnSync(program, [versionFlag], { env, stdio: 'ignore' }).status === 0;
}

export function nginx({ http = '', upstream = '', server = '', location = '', page = '' } = {}): ProxySetup {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const render = ({ dir, port, backends }: Place) => `
daemon off;
worker_processes 1;
pid ${dir}/nginx.pid;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 512; }
http {
  access_log off;
  ${temporary.map((name) => `${name}_temp_path ${dir}/${name};`).join(' ')}
  types { text/html html; application/json json; }
  upstream back {
    ${backends.map((backend) => `server 127.0.0.1:${backend} max_fails=0;`).join(' ')}
    ${upstream}
  }
  ${http}
  server {
    listen 127.0.0.1:${port} backlog=512;
    root ${dir};
    ${server}
    location = /page.html { internal; ${page} }
    location / { proxy_pass http://back; ${location} }
  }
}`;
  return { proxy: 'nginx', render };
}

export function haproxy({ defaults = '', frontend = '', backend = '', server = '' } = {}): ProxySetup {
  const render = ({ port, backends }: Place) => `
global
  maxconn 512
defaults
  mode http
  timeout connect 1s
  timeout client 20s
  timeout server 20s
  ${defaults}
frontend entrance
  bind 127.0.0.1:${port}
  ${frontend}
  default_backend service
backend service
  ${backend}
${backends.map((each, index) => `  server s${index} 127.0.0.1:${each} ${server}`).join('\n')}
`;
  return { proxy: 'haproxy', render };
}

export function varnish({ backend = '', vcl = '', args = [] as string[] } = {}): ProxySetup {
  const render = ({ backends }: Place) => `vcl 4.1;
import std;
backend service { .host = "127.0.0.1"; .port = "${backends[0]}"; ${backend} }
${vcl}
`;
  return { proxy: 'varnish', render, args };
}

const html = '<!DOCTYPE html><html><title>Sorry</title><p>We are back soon.</html>\n';
const json = '{"error":{"message":"We are back soon."}}\n';

/** The pages that stand in for a failed back end: as files for nginx, as whole responses for HAProxy. */
export function writePages(dir: string): void {
  writeFileSync(join(dir, 'page.html'), html);
  writeFileSync(join(dir, 'page.json'), json);
  const responses = [
    ['503-html.http', '503 Service Unavailable', 'text/html', html],
    ['503-json.http', '503 Service Unavailable', 'application/json', json],
    ['200-json.http', '200 OK', 'application/json', json],
  ] as const;
  for (const [name, status, type, body] of responses) {
    const head = `HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\nretry-after: 1`;
    writeFileSync(join(dir, name), `${head}\r\n\r\n${body}`);
  }
}

/** A private folder and the processes that use it: all end with it, and with this process. */
export class Sandbox {
  readonly dir = mkdtempSync(join(tmpdir(), 'orders-proxies-'));
  readonly #running = new Set<ChildProcess>();
  readonly #onExit = () => {
    for (const child of this.#running) child.kill('SIGTERM');
    // Programs that are about to end still remove and write files of their own.
    for (let tries = 0; tries < 100 && existsSync(this.dir); tries += 1) {
      spawnSync('rm', ['-rf', this.dir], { stdio: 'ignore' });
    }
  };

  constructor() {
    process.once('exit', this.#onExit);
  }

  spawn(program: string, args: readonly string[], options: SpawnOptions = {}): ChildProcess {
    const child = spawn(program, args, { env, ...options });
    this.#running.add(child);
    child.once('exit', () => this.#running.delete(child));
    return child;
  }

  async stop(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
    if (!this.#running.has(child)) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    const late = setTimeout(() => child.kill('SIGKILL'), 4_000);
    await exited;
    clearTimeout(late);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#running].map((child) => this.stop(child, 'SIGTERM')));
    process.off('exit', this.#onExit);
    this.#onExit();
  }
}

/** A proxy that runs in the foreground, in the folder of its sandbox. */
export class ProxyServer {
  readonly #setup: ProxySetup;
  readonly #place: Place;
  readonly #sandbox: Sandbox;
  #child: ChildProcess | undefined;
  #reloads = 0;

  constructor(setup: ProxySetup, place: Place, sandbox: Sandbox) {
    this.#setup = setup;
    this.#place = place;
    this.#sandbox = sandbox;
    writeFileSync(this.#config, setup.render(place).replaceAll('DIR', place.dir));
  }

  get #config(): string {
    return join(this.#place.dir, 'proxy.conf');
  }

  /** Rejects with what the proxy printed when it does not start. */
  async start(): Promise<void> {
    const child = this.#spawn();
    let printed = '';
    child.stderr?.on('data', (chunk) => {
      printed = `${printed}${chunk}`.slice(-2_000);
    });
    const until = Date.now() + insideTestLimitMs;
    while (!(await isListening(this.#place.port))) {
      if (child.exitCode !== null || Date.now() > until)
        throw new Error(`${this.#setup.proxy} did not start: ${printed}`);
      await delay(20);
    }
  }

  async reload(): Promise<void> {
    const { proxy } = this.#setup;
    if (proxy === 'nginx') this.#child?.kill('SIGHUP');
    else if (proxy === 'haproxy') this.#spawn('-sf', String(this.#child?.pid));
    else {
      const admin = (...args: string[]) =>
        promisify(execFile)('varnishadm', ['-n', join(this.#place.dir, 'varnish'), ...args], { env });
      const name = `reload${++this.#reloads}`;
      await admin('vcl.load', name, this.#config);
      await admin('vcl.use', name);
    }
  }

  /** Ends it at once, with every connection, and starts it again. */
  async restart(): Promise<void> {
    if (this.#child) await this.#sandbox.stop(this.#child, 'SIGTERM');
    await this.start();
  }

  #spawn(...more: string[]): ChildProcess {
    const { dir, port } = this.#place;
    const args = {
      nginx: ['-p', dir, '-e', join(dir, 'error.log'), '-c', this.#config],
      haproxy: ['-db', '-f', this.#config],
      varnish: [
        ...['-F', '-j', 'none', '-n', join(dir, 'varnish'), '-a', `127.0.0.1:${port}`, '-f', this.#config],
        ...['-s', 'malloc,16m', '-l', '2m', '-p', 'thread_pools=1'],
      ],
    };
    const { proxy, args: own = [] } = this.#setup;
    this.#child = this.#sandbox.spawn(programs[proxy], [...args[proxy], ...own, ...more], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    return this.#child;
  }
}

/** Whether something accepts connections there. */
export async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
