import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { inFull } from '../../../.ci/in-full.ts';
import { fuzzResponses } from './fuzz-responses.ts';
import { listenOnLoopback } from './loopback.ts';

const run = promisify(execFile);
const specifiers = ['@orders/client', '@orders/client/fetch'];

/** More seeds find more; these are those of the test command. */
const seed = 41;
const count = inFull ? 20_000 : 400;

test.each(specifiers)(
  `${count} hostile responses end no process of %s, and each outcome is true`,
  {
    timeout: 600_000,
  },
  async (specifier) => {
    const { counts, untrue } = await fuzzResponses({ specifier, seed, count });
    expect(untrue).toEqual([]);
    expect(Object.keys(counts)).toEqual(expect.arrayContaining(['ok', 'applied', 'rejected', 'unknown']));
  },
);

const [responses, maxMb] = inFull ? [16, 150] : [2, 50];

// Node's own `fetch` holds tens of thousands of chunks back, which nothing here could join.
test(`${responses} responses of 1 MiB in chunks of a byte cost less than ${maxMb} MB over undici`, async () => {
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';
  const chunks = Buffer.from(`${'1\r\n1\r\n'.repeat(2 ** 20)}0\r\n\r\n`);
  const server = createServer((socket) =>
    socket.once('data', () => socket.write(head) && socket.write(chunks)),
  );
  await using listener = await listenOnLoopback(server);
  const child = fileURLToPath(import.meta.resolve('./bytewise-child.ts'));
  const url = `http://127.0.0.1:${listener.port}`;
  const { stdout } = await run(process.execPath, ['--conditions=@orders/source', child, url, `${responses}`]);
  expect(Number(stdout)).toBeLessThan(maxMb);
});
