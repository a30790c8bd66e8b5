import { execFile } from 'node:child_process';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { quickly } from '../../../.ci/start-quickly.ts';

/** The message with which each import fails in a Node that lacks what this one has. */
const program = `
  delete Promise.withResolvers;
  const messages = [];
  for (const path of ['', '/inbox', '/pglite', '/file-lock'])
    messages.push(await import('@orders/outbox' + path).then(() => 'loads', ({ message }) => message));
  console.log(JSON.stringify(messages));
`;

test('in an older Node each import says which it needs', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...quickly.flags, '--conditions=@orders/source', '--input-type=module', '--eval', program],
    { cwd: import.meta.dirname, env: { ...process.env, ...quickly.env } },
  );
  const needed = `@orders/outbox needs Node 22.19 or newer, and this is Node ${process.versions.node}.`;
  expect(JSON.parse(stdout)).toEqual([needed, needed, needed, needed]);
});
