import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { quickly } from '../../../.ci/start-quickly.ts';
import { runHere } from '../test/run-here.ts';
import { createFolder } from '../test/run-orders.ts';
import { completionScript } from './completion.ts';
import { duration } from './definitions.ts';
import { allCommands, createProgram } from './program.ts';

function helpOf(command: ReturnType<typeof createProgram>): string {
  let help = '';
  command.configureOutput({
    writeOut: (text) => {
      help += text;
    },
    getOutHelpWidth: () => 80,
  });
  command.outputHelp();
  return help;
}

test('every command has help of at most 80 columns, with examples', () => {
  for (const command of allCommands(createProgram())) {
    const help = helpOf(command);
    expect([command.name(), help.split('\n').filter((line) => line.length > 80)]).toEqual([
      command.name(),
      [],
    ]);
    if (command.name() !== 'orders' && command.commands.length === 0)
      expect(help).toContain('\nExamples:\n  ');
  }
});

test('the page of the reference is what help prints', async () => {
  const sections = allCommands(createProgram()).map((command) => {
    const help = helpOf(command).trim();
    const [, name = ''] = /^Usage: (orders(?: [a-z]+)*)/.exec(help) ?? [];
    return `## ${name}\n\n\`\`\`text\n${help.replaceAll(/[^\S\n]+$/gm, '')}\n\`\`\`\n`;
  });
  const title = '# Reference of the command `orders`\n\nWhat `--help` prints for each command.\n';
  // `pnpm --filter @orders/cli reference` writes it anew.
  await expect([title, ...sections].join('\n')).toMatchFileSnapshot(
    '../../../apps/docs/pages/packages/cli-reference.md',
  );
});

test('help loads nothing but commander, so that it is there at once', () => {
  const loaded = new Set<string>();
  const follow = (file: string): void => {
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(
      /^(?:import|\} from) (?!type).*?'([^']+)';$/gm,
    ))
      if (name.startsWith('.')) follow(join(import.meta.dirname, name));
      else if (!name.startsWith('node:')) loaded.add(name);
  };
  follow(join(import.meta.dirname, 'main.ts'));
  expect([...loaded]).toEqual(['commander']);
});

test('help and version exit with 0, a command that is missing or unknown with 2', async () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'));
  expect(await runHere(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' });
  expect(await runHere(['send', '--help'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Usage: orders send/),
  });
  expect(await runHere([])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^Usage: orders/),
  });
  expect(await runHere(['sned'])).toMatchObject({
    code: 2,
    stderr: "orders: unknown command 'sned' (Did you mean send?)\n",
  });
  expect(await runHere(['send', 'a.csv', '--rat', '5'])).toMatchObject({
    code: 2,
    stderr: "orders: unknown option '--rat' (Did you mean --rate?)\n",
  });
});

test('no usage error repeats what may be a key', async () => {
  const key = 'sk_live_4f1b9c';
  for (const words of [
    [key],
    ['check', key],
    ['check', `--base-urll=${key}`],
    ['check', `--api-key=${key}`],
    ['check', '--key', key],
    ['mock', '--api-key', key],
    ['check', `-k${key}`],
    ['update', 'ord_1', 'a.json', key],
  ]) {
    const { code, stdout, stderr } = await runHere(words);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^orders: .*\n$/);
    expect(stderr).not.toContain(key);
  }
  expect((await runHere(['check', '--api-key', key])).stderr).toContain(
    'The key is never a flag: set ORDERS_API_KEY',
  );
  expect((await runHere(['mock', '--api-key', key])).stderr).toContain('from --key or ORDERS_MOCK_KEY');
});

test('numbers and durations out of range are refused', async () => {
  for (const words of [
    ['send', 'a.csv', '--rate', '0'],
    ['send', 'a.csv', '--concurrency', '1.5'],
    ['send', 'a.csv', '--resolve', '1;2'],
    ['check', '--timeout', '30'],
    ['validate', 'a.csv', '--decimals', '-1'],
  ])
    expect(await runHere(words)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is invalid. Write '),
    });
  expect(['500ms', '1.5s', '2h', '7d'].map(duration())).toEqual([500, 1_500, 7_200_000, 604_800_000]);
  expect(() => duration()('25d')).toThrow('at most 24d');
});

test('the completion of bash knows commands and options', async ({ skip }) => {
  const script = completionScript('bash', createProgram());
  const complete = (...words: readonly string[]) => {
    const list = words.map((word) => `'${word}'`).join(' ');
    const line = `COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _orders; echo "\${COMPREPLY[*]}"`;
    const { status, stdout } = spawnSync('bash', ['-c', `${script}\n${line}`], { encoding: 'utf8' });
    return status === 0 ? stdout.trim() : undefined;
  };
  const first = complete('orders', 'va');
  if (first === undefined) return skip('there is no bash');
  expect(first).toBe('validate');
  expect(complete('orders', 'send', 'a.csv', '--re')).toBe('--result --review --resolve --retry');
  for (const shell of ['zsh', 'fish'])
    for (const word of ['validate', 'stop-on-rejected'])
      expect(completionScript(shell, createProgram())).toContain(word);
  expect(() => completionScript('constructor', createProgram())).toThrow('bash, zsh or fish');
});

test('-h is help, too, at each level', async () => {
  for (const words of [[], ['send'], ['outbox'], ['outbox', 'status']]) {
    const { code, stdout } = await runHere([...words, '-h']);
    expect([code, stdout]).toEqual([0, (await runHere([...words, '--help'])).stdout]);
  }
});

test('with --json an error is an object on standard output, too', async () => {
  for (const [words, exitCode, error] of [
    [['sned', '--json'], 2, { code: 'usage', message: "unknown command 'sned' (Did you mean send?)" }],
    [
      ['check', '--json'],
      2,
      {
        code: 'usage',
        message: 'Where is the service?',
        hint: 'Set ORDERS_BASE_URL, or pass --base-url.',
      },
    ],
    [['update', 'ord_1', 'none.json', '--json'], 3, { code: 'failed' }],
    [['outbox', 'status', '--folder', 'none', '--json'], 3, { code: 'failed' }],
    [['validate', 'a.csv', '--format', 'github', '--json'], 2, { code: 'usage' }],
  ] as const) {
    const { code, stdout, stderr } = await runHere(words, { env: { ORDERS_API_KEY: 'sk_test_4f1b9c27' } });
    expect([words, code, JSON.parse(stdout)]).toMatchObject([words, exitCode, { error }]);
    expect(stderr).toMatch(/^orders: /);
  }
});

test('in a clone, files are those of the folder where pnpm was started, or standard input', async () => {
  await using folder = await createFolder({ 'a.json': '{"cart":{}}' });
  const words = [...quickly.flags, '--conditions=@orders/source', '.ci/orders.ts', 'validate', 'a.json', '-'];
  const run = spawnSync(process.execPath, words, {
    cwd: join(import.meta.dirname, '../../..'),
    env: { INIT_CWD: folder.path, ...quickly.env },
    input: '{"token":"ord_1","update":{"cart":{}}}\n{"token":"ord_2","update":{"cart":{}}}\n',
    encoding: 'utf8',
  });
  expect(run).toMatchObject({ status: 0, stdout: 'a.json: valid: 1 row\n-: valid: 2 rows\n' });
});
