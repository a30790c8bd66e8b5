import { once } from 'node:events';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';

const listener = `
  const { createServer } = require('node:net');
  const { parentPort, workerData } = require('node:worker_threads');
  const server = createServer();
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    setImmediate(() => Atomics.wait(workerData, 0, 0));
  });
`;

/** Starts a server whose queue of connections is full, so that one more gets no response, as from a host that is down. */
export async function startFullBacklog() {
  const asleep = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(listener, { eval: true, workerData: asleep });
  const [port]: number[] = await once(worker, 'message');
  const queued = Array.from({ length: 2 }, () => connect(port ?? 0, '127.0.0.1'));
  await Promise.all(queued.map((socket) => once(socket, 'connect')));
  return {
    url: `https://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of queued) socket.on('error', () => {}).destroy();
      await worker.terminate();
    },
  };
}
