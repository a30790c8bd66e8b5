import { exec, execFile, execFileSync, execSync, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { SHARE_ENV, Worker, type WorkerOptions } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { expectRefusal } from './loopback-watch.ts';

const away = '192.0.2.1';
const node = process.execPath;
const script = `fetch('http://${away}').catch((error) => console.log(error.cause.code))`;
const shell = `"${node}" -e "${script}"`;
const nested = `require('child_process').spawn(process.execPath, ['-e', process.argv[1]], { env: {}, stdio: 'inherit' })`;
const bare = { env: {} };

interface Printed {
  readonly stdout: string | Buffer;
  readonly stderr?: string | Buffer;
}

test.each<[string, () => Printed | Promise<Printed>]>([
  ['execFile', () => promisify(execFile)(node, ['-e', script])],
  ['execFile with an environment of its own', () => promisify(execFile)(node, ['-e', script], bare)],
  ['exec with an environment of its own', () => promisify(exec)(shell, bare)],
  ['fork with an environment of its own', () => readFork()],
  [
    'execFileSync with an environment of its own',
    () => ({ stdout: execFileSync(node, ['-e', script], bare) }),
  ],
  ['execSync with an environment of its own', () => ({ stdout: execSync(shell, bare) })],
  ['spawnSync with an environment of its own', () => spawnSync(node, ['-e', script], bare)],
  ['a child of a child', () => promisify(execFile)(node, ['-e', nested, script], bare)],
])('what %s starts is refused', async (_name, start) => {
  const { stdout, stderr = '' } = await expectRefusal([away], start);
  expect([String(stdout), String(stderr)]).toEqual(['ERR_NOT_LOOPBACK\n', '']);
});

async function readFork(): Promise<Printed> {
  const { stdout, stderr } = fork('ignored', { execArgv: ['-e', script], silent: true, ...bare });
  if (!stdout || !stderr) throw new Error('A silent fork has pipes.');
  const [out, error] = await Promise.all([text(stdout), text(stderr)]);
  return { stdout: out, stderr: error };
}

test.each<[string, WorkerOptions]>([
  ['as it comes', {}],
  ['with an environment of its own', { env: {} }],
  ['with options of Node of its own', { execArgv: [] }],
  ['with both', { env: {}, execArgv: [] }],
  ['that shares the environment', { env: SHARE_ENV }],
])('a thread %s is refused', async (_name, options) => {
  const telling = script.replace('console.log', `require('worker_threads').parentPort.postMessage`);
  const told = await expectRefusal([away], () =>
    once(new Worker(telling, { eval: true, ...options }), 'message'),
  );
  expect(told).toEqual(['ERR_NOT_LOOPBACK']);
});

test('a child gets the rest of its environment as given', async () => {
  const print =
    'const { A, B, PATH, NODE_OPTIONS } = process.env; console.log(JSON.stringify([A, B, PATH, NODE_OPTIONS]))';
  const env = { A: '1=2\n=3', B: '', NODE_OPTIONS: '--no-deprecation' };
  const { stdout } = await promisify(execFile)(node, ['-e', print], { env });
  expect(JSON.parse(stdout)).toEqual([
    '1=2\n=3',
    '',
    null,
    expect.stringMatching(/^--no-deprecation --require=/),
  ]);
});
