import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { beforeAll, describe, expect, test } from 'vitest';
import { writeBlocks } from './block-folder.ts';
import { checkTypes } from './check-types.ts';
import { matchesOutput } from './matches-output.ts';
import { type CodeBlock, readBlocks, readPage, readReadmes } from './read-blocks.ts';
import { runExample, runTogether } from './run-examples.ts';
import { startAtPrompt } from './start-mock.ts';

const root = join(import.meta.dirname, '../../..');
const all = readBlocks();
const ofReadmes = readReadmes();
const written = [...all.filter(({ language }) => /^tsx?$/.test(language)), ...ofReadmes];
const { files, tsconfig } = writeBlocks(written);
const blocks = written.map((block, index) => ({ ...block, file: files[index] ?? '' }));
const runs = blocks.filter(({ flags }) => !flags.includes('no-run'));
// Node 22 needs a compiler for `await using`.
const isKnown = Number(process.versions.node.split('.')[0]) >= 24;

describe('types', () => {
  let errors: ReadonlyMap<string, readonly string[]>;
  beforeAll(async () => {
    errors = await checkTypes(tsconfig);
  });

  test('the compiler reports nothing about the project itself', () => {
    expect(errors.get('') ?? []).toEqual([]);
  });

  test.each(blocks)('$place compiles', ({ file }) => {
    expect(errors.get(basename(file)) ?? []).toEqual([]);
  });
});

const prompt = all.find(({ language, code }) => language === 'sh' && code.includes('orders mock'));

const runnable = runs.filter(({ code }) => isKnown || !code.includes('await using'));
// What changes its whole process comes last.
const order = [/^/, /from '@opentelemetry\//, /from 'node:diagnostics_channel'/, /from 'node:test'/];
const rank = ({ code }: CodeBlock) => order.findLastIndex((pattern) => pattern.test(code));

describe('runs', () => {
  let service: Awaited<ReturnType<typeof startAtPrompt>>;
  let printed: ReadonlyMap<string, string>;
  const atPrompt = ({ file, flags }: (typeof runs)[number]) => ({
    file,
    env: flags.includes('at-prompt') ? service.env : undefined,
  });

  beforeAll(async () => {
    service = await startAtPrompt(prompt?.code ?? '');
    printed = await runTogether(runnable.toSorted((a, b) => rank(a) - rank(b)).map(atPrompt));
    return () => service[Symbol.asyncDispose]();
  });

  test.concurrent.each(runnable)('$place runs', async (block) => {
    // An example of a doc comment has no place for what it prints.
    const output = block.place.startsWith('api/') ? '' : block.output;
    const isRight = (text: string) => output === undefined || matchesOutput(text, output);
    const text = printed.get(block.file);
    if (text !== undefined && isRight(text)) return;
    const alone = await runExample(atPrompt(block));
    if (!isRight(alone)) expect(alone.trim()).toBe(output?.trim());
  });
});

test.each(['schema', 'auth', 'client', 'testing', 'outbox'])('the README of %s shows an example', (name) => {
  const shown = /<!-- apps\/examples\/|^```ts$/m;
  expect(readFileSync(join(root, 'packages', name, 'README.md'), 'utf8')).toMatch(shown);
});

test('every output on a page belongs to a block that runs', () => {
  const outputs = all.filter(({ flags }) => flags.includes('output'));
  expect(runs.filter(({ output }) => output !== undefined)).toHaveLength(outputs.length);
});

test('a page of the guides shows more code that runs than code that does not', () => {
  expect(runs.length).toBeGreaterThan(blocks.length / 2);
});

test('reads blocks with their line, their flags and their output', () => {
  const markdown = 'One\n\n```ts no-run\na\n```\n\n```ts\nb\n```\n\nprints\n\n```text output\nc\n```\n';
  expect(readPage('p.md', markdown)).toMatchObject([
    { place: 'p.md:3', language: 'ts', flags: ['no-run'], code: 'a\n', output: undefined },
    { place: 'p.md:7', language: 'ts', code: 'b\n', output: 'c\n' },
    { place: 'p.md:13', language: 'text', flags: ['output'] },
  ]);
});

test('reads a shown file as a block', () => {
  const shown = readPage(
    'guides/p.md',
    '[send.ts](../../../examples/send.ts) <!-- at-prompt -->\n\n```text output\nc\n```\n',
  );
  expect(shown[0]).toMatchObject({
    place: 'guides/p.md:1',
    language: 'ts',
    flags: ['at-prompt'],
    output: 'c\n',
  });
  expect(shown[0]?.code).toMatch(/^import .*@orders\/client/);
});

test('every shown file is an example, whose own tests run it, or the model of the simulation', () => {
  const shown = all.flatMap(({ file = [] }) => file);
  const folders = ['apps/examples', 'apps/experiments/simulation'].map((folder) => join(root, folder));
  expect(new Set(shown.map((file) => dirname(file)))).toEqual(new Set(folders));
});

test('the example of a doc comment is compiled with its import', () => {
  const example = all.find(({ place }) => place === 'api/client.md createOrdersClient');
  expect(example?.code).toMatch(/^import \{ createOrdersClient \} from '@orders\/client';\n/);
});

test('an ellipsis on a page stands for anything on its line and no more', () => {
  expect(matchesOutput('took 12 ms\n', 'took … ms')).toBe(true);
  expect(matchesOutput('took 12\nms', 'took … ms')).toBe(false);
  expect(matchesOutput('took 12 ms twice', 'took … ms')).toBe(false);
});
