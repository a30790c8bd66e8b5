import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';

const node = process.execPath;
/** Exits with 0 when it is interrupted, as turbo does. */
const waits = `for (const each of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(each, () => process.exit(0));
  console.log('one ' + process.pid); setInterval(() => {}, 1_000);`;
const says = (text: string) => [node, '-e', `console.log('${text}')`];

function start(...commands: readonly (readonly string[])[]) {
  const words = commands.flatMap((command, place) => (place === 0 ? command : ['--then', ...command]));
  const child = spawn(node, [join(import.meta.dirname, 'in-turn.ts'), ...words]);
  const read = async () => {
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    const [code] = await once(child, 'close');
    return { code, out, err };
  };
  return { child, read };
}

test.skipIf(process.platform === 'win32').each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s ends the command that runs, and no other begins', async (signal, code) => {
  const { child, read } = start([node, '-e', waits], says('two'));
  const ended = read();
  const [first] = await once(child.stdout, 'data');
  child.kill(signal);
  expect(await ended).toEqual({ code, out: String(first), err: '' });
  const pid = Number(/\d+/.exec(String(first))?.[0]);
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});

test.skipIf(process.platform === 'win32')(
  'commands end when the npx that started them has ended',
  async () => {
    const inTurn = [join(import.meta.dirname, 'in-turn.ts'), node, '-e', waits, '--then', ...says('two')];
    const env = { ...process.env, npm_execpath: '/_npx/0/node_modules/pnpm/pnpm' };
    const npx = spawn(
      node,
      [
        '-e',
        `process.title = 'npm exec pnpm@12 start';
    require('node:child_process').spawn(process.execPath, ${JSON.stringify(inTurn)}, { stdio: 'inherit' });`,
      ],
      { env },
    );
    let out = '';
    npx.stdout.on('data', (chunk) => {
      out += chunk;
    });
    await once(npx.stdout, 'data');
    npx.kill();
    // Its output is open until all that it has started have ended.
    await once(npx, 'close');
    expect(out).toMatch(/^one \d+\n$/);
  },
);

test('commands run in turn, each once the one before has succeeded', async () => {
  expect(await start(says('one'), says('two')).read()).toEqual({ code: 0, out: 'one\ntwo\n', err: '' });
});

test('a command that fails is the last, and so is one that does not exist', async () => {
  const failing = [node, '-e', 'process.exitCode = 7'];
  expect(await start(failing, says('two')).read()).toEqual({ code: 7, out: '', err: '' });
  expect(await start(['no-such-program'], says('two')).read()).toEqual({
    code: 1,
    out: '',
    err: expect.stringMatching(/^no-such-program cannot be started: .+\n$/),
  });
});
