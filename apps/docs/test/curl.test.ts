import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { insideTestLimitMs } from '../../../.ci/limits.ts';
import { matchesOutput } from './matches-output.ts';
import { readBlocks } from './read-blocks.ts';
import { startAtPrompt } from './start-mock.ts';

const run = promisify(execFile);
const isOnPage = ({ place }: { place: string }) =>
  place.startsWith('guides/testing-from-another-language.md:');
const blocks = readBlocks().filter(isOnPage);
const start = blocks.find(({ language }) => language === 'sh');
const commands = blocks.filter(({ code }) => code.startsWith('curl'));

const hasCurl = spawnSync('curl', ['--json', '{}', '--version']).status === 0;
const hasPython = spawnSync('python3', ['--version']).status === 0;

/** The page has its JSON formatted. */
const withoutBlanks = (text: string) => text.replace(/\s+/g, '');

/** Starts the service as the page does, on a free port, and returns how to put its URL into code of the page. */
async function startService() {
  const service = await startAtPrompt(`${start?.code} --port 0`);
  const atService = (code: string) =>
    code.replaceAll('http://127.0.0.1:8402', service.env['ORDERS_BASE_URL'] ?? '');
  return { atService, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

test.skipIf(process.platform === 'win32' || !hasCurl)(
  'each curl command prints what the page shows',
  async () => {
    await using service = await startService();
    const receiver = createServer((_request, response) => response.writeHead(204).end()).listen(
      0,
      '127.0.0.1',
    );
    await once(receiver, 'listening');
    const { port } = receiver.address() as AddressInfo;

    for (const { place, code } of commands) {
      const shown = blocks[blocks.findIndex((block) => block.place === place) + 1];
      const command = service.atService(code).replace('127.0.0.1:3000', `127.0.0.1:${port}`);
      // curl fails after a reset, which the page says.
      const { stdout } = await run('sh', ['-c', command], { timeout: insideTestLimitMs }).catch(
        (error) => error,
      );
      const printed = stdout.replace(`127.0.0.1:${port}`, '127.0.0.1:3000');
      const expected = shown?.language === 'json' ? shown.code : '';
      if (!matchesOutput(withoutBlanks(printed), withoutBlanks(expected)))
        expect(`${place}: ${printed}`).toBe(expected);
    }
    receiver.close();
    expect(commands.length).toBeGreaterThan(5);
  },
);

test.skipIf(!hasPython)('the test in Python passes', async () => {
  await using service = await startService();
  const code = blocks.find(({ language }) => language === 'python')?.code ?? '';
  const program = `${service.atService(code)}\nunittest.main()`;
  const { stderr } = await run('python3', ['-c', program], { timeout: insideTestLimitMs });
  expect(stderr).toMatch(/Ran 1 test.*OK/s);
});
