import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createSocket } from 'node:dgram';
import dns, { type LookupAddress } from 'node:dns';
import { once } from 'node:events';
import net, { type AddressInfo, type LookupFunction } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { expectRefusal } from './loopback-watch.ts';
import { codesOf, findWaysOut, lookupWays, outside, serviceWays, tcpWays, udpWays } from './loopback-ways.ts';

const run = promisify(execFile);
const away = '192.0.2.1';
const files = [
  new URL('loopback-spy.cjs', import.meta.url),
  new URL('loopback-only.cjs', import.meta.url),
  new URL('loopback-child.ts', import.meta.url),
];

test('every way out of a test is refused', async () => {
  expect(await expectRefusal(outside, findWaysOut)).toEqual([]);
});

test('every way out of a child process is refused, and nothing of it gets to the network', async () => {
  const [spy, guard, script] = files.map((file) => fileURLToPath(file));
  const env = { NODE_OPTIONS: `--require=${JSON.stringify(spy)} --require=${JSON.stringify(guard)}` };
  const { stdout } = await expectRefusal(outside, () => run(process.execPath, [script ?? ''], { env }));
  expect(JSON.parse(stdout)).toEqual({
    open: [],
    seen: ['connect 127.0.0.1', 'send 127.0.0.1', 'getaddrinfo localhost'],
  });
});

test('a refusal names host and port', async () => {
  const connect = (host: string) =>
    expectRefusal([host], () => tcpWays['net.connect']?.(host, 443).catch((error: unknown) => error));
  expect(await connect('example.com')).toMatchObject({
    message: expect.stringContaining('example.com:443'),
    hostname: 'example.com',
    port: 443,
  });
  expect(await connect('2001:db8::1')).toMatchObject({
    message: expect.stringContaining('[2001:db8::1]:443'),
  });
});

test('every way to loopback is open', async () => {
  await using service = await listen();
  const closed: string[] = [];
  for (const [name, way] of Object.entries(tcpWays)) {
    for (const host of ['127.0.0.1', '127.0.0.2', 'localhost', 'shop.localhost']) {
      const before = service.connections();
      // The server hangs up, which some ways tell as an error.
      await way(host, service.port).catch(() => {});
      if (service.connections() === before) closed.push(`${name} ${host}`);
    }
  }
  expect(closed).toEqual([]);
});

test.each(['127.255.255.254', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.2', '::ffff:7f00:1'])(
  '%s is loopback',
  async (host) => {
    // Nobody listens, or the machine has no IPv6; a refusal would fail the test by itself.
    await expect(tcpWays['net.connect']?.(host, 1)).rejects.toMatchObject({ address: host });
  },
);

test('a pipe is open', async () => {
  const path =
    process.platform === 'win32'
      ? String.raw`\\.\pipe\loopback-only`
      : join(tmpdir(), `${randomUUID()}.sock`);
  const server = net.createServer((socket) => socket.destroy()).listen(path);
  await once(server, 'listening');
  await once(net.connect(path), 'connect');
  await once(net.connect({ path, host: away }), 'connect');
  server.close();
});

test.each(Object.entries(udpWays))('%s reaches loopback', async (_name, way) => {
  const server = createSocket('udp4').bind(0, '127.0.0.1');
  await once(server, 'listening');
  const arrived = once(server, 'message');
  await way('127.0.0.1', server.address().port);
  expect(String(await arrived)).toContain('x');
  server.close();
});

test('a lookup of the caller leads any name to loopback, and nowhere else', async () => {
  await using service = await listen();
  const connectTo = async (address: string) => {
    const lookup = ((_name, _options, done) => done(null, [{ address, family: 4 }])) as LookupFunction;
    const socket = net.connect({ host: 'shop.example', port: service.port, lookup });
    await once(socket, 'connect');
    socket.destroy();
  };
  await connectTo('127.0.0.1');
  expect(service.connections()).toBe(1);
  await expectRefusal([away], () =>
    expect(connectTo(away)).rejects.toMatchObject({ code: 'ERR_NOT_LOOPBACK', port: service.port }),
  );
});

test('a lookup of the caller leads UDP nowhere else', async () => {
  const socket = createSocket({
    type: 'udp4',
    lookup: (name, _options, done) => done(null, name === 'shop.example' ? away : name, 4),
  });
  const sent = () =>
    promisify((done: (error: Error | null) => void) => socket.send('x', 53, 'shop.example', done))();
  await expectRefusal([away], () => expect(sent()).rejects.toMatchObject({ code: 'EACCES' }));
  socket.close();
});

test.each(Object.entries(lookupWays))('%s finds localhost and what ends in it', async (_name, lookup) => {
  for (const name of ['localhost', 'LOCALHOST.', 'shop.localhost']) {
    const found = await lookup(name, 0);
    expect(['127.0.0.1', '::1']).toContain((found as LookupAddress).address);
  }
});

test('a name that nobody can have is not found, and nobody is asked', async () => {
  const ways = { ...lookupWays, ...tcpWays };
  for (const [name, way] of Object.entries(ways)) {
    const codes = await way('shop.invalid', 443).then(() => [], codesOf);
    expect(codes, name).toContain('ENOTFOUND');
  }
});

test.each(Object.entries(serviceWays))(
  '%s asks for no address but those of localhost',
  async (_name, way) => {
    await way('127.0.0.1', 80);
    await expectRefusal(['127.0.0.2'], () =>
      expect(way('127.0.0.2', 80)).rejects.toMatchObject({ code: 'ERR_NOT_LOOPBACK' }),
    );
  },
);

test('a resolver asks a name server on loopback, and no other', async () => {
  const server = createSocket('udp4').bind(0, '127.0.0.1');
  await once(server, 'listening');
  server.on('message', (question: Buffer, { port }) => server.send(answerQuestion(question), port));
  for (const resolver of [new dns.Resolver(), new dns.promises.Resolver()]) {
    resolver.setServers([`127.0.0.1:${server.address().port}`]);
    const resolve4 = resolver instanceof dns.Resolver ? promisify(resolver.resolve4) : resolver.resolve4;
    expect(await resolve4.call(resolver, 'shop.example')).toEqual(['127.0.0.3']);
    resolver.setServers(['127.0.0.1', away]);
    await expectRefusal(['shop.example'], () =>
      expect(resolve4.call(resolver, 'shop.example')).rejects.toMatchObject({ code: 'ERR_NOT_LOOPBACK' }),
    );
  }
  server.close();
});

async function listen() {
  let connections = 0;
  const server = net.createServer((socket) => {
    connections += 1;
    socket
      .on('error', () => {})
      .resume()
      .end();
  });
  // Without a host it listens on every address of the machine, which is nobody's business but its own.
  server.listen(0);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    [Symbol.asyncDispose]: () => promisify(server.close.bind(server))(),
  };
}

/** Answers any question of a resolver with one address. */
function answerQuestion(question: Buffer): Buffer {
  const header = Buffer.from('0000818000010001000000000000', 'hex').subarray(0, 12);
  question.copy(header, 0, 0, 2);
  const end = question.indexOf(0, 12) + 5;
  const answer = Buffer.from('c00c000100010000003c00047f000003', 'hex');
  return Buffer.concat([header, question.subarray(12, end), answer]);
}
