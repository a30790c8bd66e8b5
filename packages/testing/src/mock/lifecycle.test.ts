import { execFile } from 'node:child_process';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { inFull } from '../../../../.ci/in-full.ts';

/** Runs a script with nothing but the service in its process, and reads the JSON that it prints. */
async function runAlone<Result>(script: string): Promise<Result> {
  const flags = [
    '--conditions=@orders/source',
    '--expose-gc',
    '--input-type=module-typescript',
    '--eval',
    script,
  ];
  // A first start has nothing compiled beforehand.
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  const { stdout, stderr } = await promisify(execFile)(process.execPath, flags, {
    cwd: import.meta.dirname,
    env,
    timeout: 60_000,
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

/** Defines `elapsed()`: milliseconds since it began, without those in which other processes had the processor. */
const stopwatch = `
  import { existsSync, readFileSync } from 'node:fs';
  const schedule = '/proc/self/schedstat';
  const waited = () => existsSync(schedule) ? Number(readFileSync(schedule, 'utf8').split(' ')[1]) / 1e6 : 0;
  const [waitedBefore, begin] = [waited(), performance.now()];
  const elapsed = () => performance.now() - begin - (waited() - waitedBefore);
`;

/** The least of up to three runs, since another process may take the processor away in the middle of one. */
async function leastOf(script: string, limit: number): Promise<number> {
  const results: number[] = [];
  while (results.length < 3 && !results.some((result) => result < limit))
    results.push(await runAlone<number>(script));
  return Math.min(...results);
}

test('listens within 150 ms, in a process that has started none before', async () => {
  const script = `
    import { startMockOrderService } from '@orders/testing';
    ${stopwatch}
    const service = await startMockOrderService();
    console.log(elapsed());
    await service.close();
  `;
  expect(await leastOf(script, 150)).toBeLessThan(150);
});

test('closes within 100 ms with 50 connections in every state', { timeout: 60_000 }, async () => {
  const script = `
    import { once } from 'node:events';
    import { connect } from 'node:net';
    import { startMockOrderService } from '@orders/testing';
    const service = await startMockOrderService({ faults: [
      { when: 'next', fault: { type: 'stalled_headers' } },
      { when: 'next', fault: { type: 'stalled_body' } },
      { when: 'next', fault: { type: 'slow_drip', intervalMs: 60_000 } },
      { when: 'next', fault: { type: 'latency', ms: 60_000 } },
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
    ${stopwatch}
    await service.close();
    console.log(elapsed());
    await Promise.all(ended);
  `;
  expect(await leastOf(script, 100)).toBeLessThan(100);
});

test('lets its process end once it is closed, with a response held back or while it is down', async () => {
  const script = `
    import { startMockOrderService } from '@orders/testing';
    const begin = performance.now();
    const [slow, down] = [await startMockOrderService({ latencyMs: 60_000 }), await startMockOrderService()];
    const cut = fetch(slow.url).catch(() => 'cut');
    await slow.waitForRequests(1);
    down.faults.next({ type: 'connection_refused', downMs: 60_000 });
    await Promise.all([slow.close(), down.close()]);
    // A fault for a closed service leaves no timer.
    down.faults.next({ type: 'connection_refused', downMs: 60_000 });
    await cut;
    process.once('exit', () => console.log(performance.now() - begin));
  `;
  expect(await runAlone(script)).toBeLessThan(10_000);
});

const services = inFull ? 1_000 : 200;

test(`${services} services that were started, used and closed leave nothing`, {
  timeout: 120_000,
}, async () => {
  const script = `
    import { readdirSync } from 'node:fs';
    import process from 'node:process';
    import { startMockOrderService } from '@orders/testing';
    import { Agent, request } from 'undici';
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
    await use(200);
    const before = await look();
    await use(${services});
    const after = await look();
    console.log(JSON.stringify({
      heap: after.heap - before.heap,
      files: after.files - before.files,
      resources: after.resources - before.resources,
    }));
  `;
  const heaps: number[] = [];
  // The compiler keeps more in one process than in another; a leak is there in each.
  while (heaps.length < 3 && !heaps.some((heap) => heap < 1_000_000)) {
    const { heap, ...grown } = await runAlone<{ heap: number; files: number; resources: number }>(script);
    expect(grown).toEqual({ files: 0, resources: 0 });
    heaps.push(heap);
  }
  // One service kept alive holds some 20 kB, so two hundred would be 4 MB.
  expect(Math.min(...heaps)).toBeLessThan(1_000_000);
});
