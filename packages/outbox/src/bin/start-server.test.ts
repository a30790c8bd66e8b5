import { expect, test } from 'vitest';
import { startServer } from './start-server.ts';

const hello = () => new Response('hello');

test('answers on a free port until it is closed', async () => {
  const server = await startServer({ host: '127.0.0.1', port: 0 }, () => hello);
  expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
  expect(await (await fetch(server.url)).text()).toBe('hello');
  await server.close();
  await expect(fetch(server.url)).rejects.toThrow();
});

test('says that a port is taken, or an address not here', async () => {
  const first = await startServer({ host: '127.0.0.1', port: 0 }, () => hello);
  await expect(startServer({ host: '127.0.0.1', port: first.port }, () => hello)).rejects.toMatchObject({
    name: 'CommandFailure',
    exitCode: 1,
    message: `port ${first.port} on 127.0.0.1 is taken; give another with --port.`,
  });
  await first.close();
  await expect(startServer({ host: '203.0.113.1', port: 0 }, () => hello)).rejects.toThrow(
    /^cannot listen on port 0 of 203\.0\.113\.1: /,
  );
});
