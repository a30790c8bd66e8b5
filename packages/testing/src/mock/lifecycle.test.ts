import { execFile } from 'node:child_process';
import process from 'node:process';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { inFull } from '../../../../.ci/in-full.ts';
import { insideTestLimitMs } from '../../../../.ci/limits.ts';

const services = inFull ? 1_000 : 100;

/** What is measured in a process of its own, which has nothing but services in it. */
interface Measured {
  /** The processor time of importing the package, and of the first start, in microseconds. */
  readonly importing: number;
  readonly starting: number;
  readonly closedAtOnce: boolean;
  /** What is there more than before, after many services were started, used and closed. */
  readonly grown: { readonly heap: number; readonly files: number; readonly resources: number };
}

const script = `
  import { once } from 'node:events';
  import { readdirSync } from 'node:fs';
  import { connect } from 'node:net';
  import process from 'node:process';
  import { Agent, request } from 'undici';

  const used = () => { const { user, system } = process.cpuUsage(); return user + system; };
  const begunAt = used();
  const { startMockOrderService } = await import('@orders/testing');
  const importedAt = used();
  const first = await startMockOrderService();
  const [importing, starting] = [importedAt - begunAt, used() - importedAt];
  // Connections without a request end after a minute: one that was there before shows that nothing waited for it.
  const address = new URL(first.url);
  const idle = connect(address.port, address.hostname);
  await once(idle, 'connect');

  const service = await startMockOrderService({ faults: [
    { when: 'next', fault: { type: 'stalled_headers' } },
    { when: 'next', fault: { type: 'stalled_body' } },
    { when: 'next', fault: { type: 'slow_drip', intervalMs: 600_000 } },
    { when: 'next', fault: { type: 'latency', ms: 600_000 } },
    { when: 'next', fault: { type: 'oversize', bytes: 1e9 } },
  ] });
  const { hostname, port } = new URL(service.url);
  const sockets = await Promise.all(Array.from({ length: 50 }, async () => {
    const socket = connect(port, hostname).on('error', () => {});
    await once(socket, 'connect');
    return socket;
  }));
  for (const [index, socket] of sockets.slice(0, 25).entries()) {
    const length = index < 20 ? 11 : 12;
    socket.write('PATCH /v2/orders/' + service.token + ' HTTP/1.1\\r\\nhost: x\\r\\nauthorization: Basic ' +
      btoa(service.key + ':') + '\\r\\ncontent-type: application/json\\r\\ncontent-length: ' + length +
      '\\r\\n\\r\\n{"cart":{}}');
  }
  await service.waitForRequests(20);
  const ended = sockets.map((socket) => new Promise((resolve) => socket.resume().once('close', resolve)));
  await service.close();
  await Promise.all(ended);
  const closedAtOnce = idle.readyState === 'open';
  await first.close();

  const hasList = process.platform === 'linux';
  const look = async () => {
    for (let turn = 0; turn < 3; turn += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      gc();
    }
    return {
      heap: process.memoryUsage().heapUsed,
      files: hasList ? readdirSync('/proc/self/fd').length : 0,
      // Standard output and error are no service's.
      resources: process.getActiveResourcesInfo().filter((name) => !/^(Pipe|TTY)/.test(name)).length,
    };
  };
  const use = async (times) => {
    for (let turn = 0; turn < times; turn += 1) {
      const service = await startMockOrderService();
      const dispatcher = new Agent();
      const response = await request(service.url + '/v2/orders/' + service.token, {
        method: 'PATCH',
        headers: { authorization: 'Basic ' + btoa(service.key + ':'), 'content-type': 'application/json' },
        body: '{"cart":{}}',
        dispatcher,
      });
      await response.body.text();
      // Its connection is still open when the service closes.
      await service.close();
      await dispatcher.destroy();
    }
  };
  // V8 compiles as it uses: what that takes is there before.
  await use(${services});
  const before = await look();
  await use(${services});
  const after = await look();
  const grown = {
    heap: after.heap - before.heap,
    files: after.files - before.files,
    resources: after.resources - before.resources,
  };

  const [slow, down] = [await startMockOrderService({ latencyMs: 600_000 }), await startMockOrderService()];
  const cut = fetch(slow.url).catch(() => 'cut');
  await slow.waitForRequests(1);
  down.faults.next({ type: 'connection_refused', downMs: 600_000 });
  await Promise.all([slow.close(), down.close()]);
  // A fault for a closed service leaves no timer.
  down.faults.next({ type: 'connection_refused', downMs: 600_000 });
  await cut;
  console.log(JSON.stringify({ importing, starting, closedAtOnce, grown }));
`;

let measured: Measured;

beforeAll(async () => {
  const flags = ['--conditions=@orders/source', '--expose-gc', '--input-type=module-typescript'];
  // A first start has nothing compiled beforehand.
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  // What a service leaves keeps the process alive until it is killed: for ten minutes.
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [...flags, '--eval', script], {
    cwd: import.meta.dirname,
    env,
    timeout: insideTestLimitMs,
  });
  expect(stderr).toBe('');
  measured = JSON.parse(stdout);
});

test('starts in less processor time than its import takes', () => {
  expect(measured.starting).toBeLessThan(measured.importing);
});

test('closes at once with 50 connections in every state', () => {
  expect(measured.closedAtOnce).toBe(true);
});

test(`${services} services that were started, used and closed leave nothing, and their process ends`, () => {
  expect(measured.grown).toMatchObject({ files: 0, resources: 0 });
  // One service kept alive holds some 20 kB, so 100 would be 2 MB.
  expect(measured.grown.heap).toBeLessThan(1_000_000);
});
