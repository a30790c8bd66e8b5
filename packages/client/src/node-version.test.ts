import { execFile } from 'node:child_process';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { quickly } from '../../../.ci/start-quickly.ts';

/** The message with which each import fails. */
const program = `
  const messages = {};
  for (const path of ['', '/undici', '/fetch'])
    messages[path] = await import('@orders/client' + path).then(() => 'loads', ({ message }) => message);
  console.log(JSON.stringify(messages));
`;
const olderNode = new URL('../../../.ci/as-older-node.ts', import.meta.url).href;

test('in an older Node the client says which it needs, and loads over fetch', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      ...quickly.flags,
      '--conditions=@orders/source',
      '--import',
      olderNode,
      '--input-type=module',
      '--eval',
      program,
    ],
    { cwd: import.meta.dirname, env: { ...process.env, ...quickly.env } },
  );
  const needed = `@orders/client needs Node 22.19 or newer, and this is Node ${process.versions.node}.`;
  expect(JSON.parse(stdout)).toEqual({ '': needed, '/undici': needed, '/fetch': 'loads' });
});
