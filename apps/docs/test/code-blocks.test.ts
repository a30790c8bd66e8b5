import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { beforeAll, describe, expect, test } from 'vitest';
import { createGroupRunner, runExample } from '../../../.ci/run-examples.ts';
import { writeBlocks } from './block-folder.ts';
import { checkTypes } from './check-types.ts';
import { matchesOutput } from './matches-output.ts';
import { type CodeBlock, readBlocks, readPage } from './read-blocks.ts';
import { startAtPrompt } from './start-mock.ts';

const all = readBlocks();
const written = all.filter(({ language }) => /^tsx?$/.test(language));
const { files, tsconfig } = writeBlocks(written);
const folder = join(import.meta.dirname, '..');
// Most of what a process takes is importing the packages, so there are three of them, not one for each page.
const blocks = written.map((block, index) => {
  return { ...block, file: files[index] ?? '', folder, group: String(index % 3) };
});
const runs = blocks.filter(({ flags }) => !flags.includes('no-run'));
// Node 22 needs a compiler for `await using`.
const isKnown = Number(process.versions.node.split('.')[0]) >= 24;

describe('types', () => {
  let errors: ReadonlyMap<string, readonly string[]>;
  beforeAll(async () => {
    errors = await checkTypes(tsconfig);
  }, 90_000);

  test('the compiler reports nothing about the project itself', () => {
    expect(errors.get('') ?? []).toEqual([]);
  });

  test.each(blocks)('$place compiles', ({ file }) => {
    expect(errors.get(basename(file)) ?? []).toEqual([]);
  });
});

const prompt = all.find(({ language, code }) => language === 'sh' && code.includes('orders mock'));

const runnable = runs.filter(({ code }) => isKnown || !code.includes('await using'));
// What changes its whole process, or reads its environment, runs alone.
const isAlone = ({ flags, code }: CodeBlock) =>
  flags.includes('at-prompt') || /from '(?:@opentelemetry\/|node:test')/.test(code);
const printedOnPage = createGroupRunner(runnable.filter((block) => !isAlone(block)));

test.concurrent.each(runnable)('$place runs', { timeout: 150_000 }, async (block) => {
  const { flags, output } = block;
  const isRight = (printed: string) => output === undefined || matchesOutput(printed, output);
  const onPage = isAlone(block) ? undefined : await printedOnPage(block);
  if (onPage !== undefined && isRight(onPage)) return;
  await using service = flags.includes('at-prompt') ? await startAtPrompt(prompt?.code ?? '') : undefined;
  const printed = await runExample(block, service?.env);
  if (!isRight(printed)) expect(printed.trim()).toBe(output?.trim());
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

test('every shown file is an example, whose own tests run it', () => {
  const shown = all.flatMap(({ file = [] }) => file);
  const examples = join(folder, '../examples');
  expect(new Set(shown.map((file) => dirname(file)))).toEqual(new Set([examples]));
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
