import { tmpdir } from 'node:os';
import process from 'node:process';
import { expect, test } from 'vitest';
import { type Command, runProgram } from './run-program.ts';

const options = { cwd: tmpdir(), env: process.env, signal: new AbortController().signal };
const script = (code: string): Command => [process.execPath, '--eval', code];

test('gives what a program printed', async () => {
  const printed = await runProgram(script("console.log('out'); console.error('err');"), options);
  expect(printed).toEqual({ stdout: 'out\n', stderr: 'err\n' });
});

test('says how a program ended and what it printed last, without colours and stacks', async () => {
  const code = "console.log('\\u001b[31mno such file\\u001b[39m\\n    at open (a.js)'); process.exit(3);";
  await expect(runProgram(script(code), options)).rejects.toThrow(/ended with 3\nno such file$/);
});

test('ends a program that takes too long, with all that it started', async () => {
  const grandchild = `require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'inherit' })`;
  // The pipes stay open as long as anybody lives who could write to them.
  const ending = runProgram(script(`console.log(${grandchild}.pid); setInterval(() => {}, 1e6);`), {
    ...options,
    timeoutMs: 1_000,
  });
  await expect(ending).rejects.toThrow('was not over after 1000 ms');
});

test('ends a program when its caller stops, with the reason', async () => {
  const stop = new AbortController();
  const ending = runProgram(script('setInterval(() => {}, 1e6)'), { ...options, signal: stop.signal });
  stop.abort(new Error('Stopped.'));
  await expect(ending).rejects.toThrow('Stopped.');
});
