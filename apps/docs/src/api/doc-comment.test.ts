import { expect, test } from 'vitest';
import { readDocComment } from './doc-comment.ts';

test('joins the lines of a paragraph and keeps paragraphs and lists apart', () => {
  const { text } = readDocComment('One\ntwo.\n\nThree:\n\n- a\n- b\n  c');
  expect(text).toBe('One two.\n\nThree:\n\n- a\n- b c');
});

test('finds a default at the start of a line and behind a sentence', () => {
  expect(readDocComment('Attempts.\n@default 3')).toMatchObject({ text: 'Attempts.', defaultValue: '3' });
  expect(readDocComment('Attempts. @default 3')).toMatchObject({ text: 'Attempts.', defaultValue: '3' });
});

test('does not take a package name or an address for a tag', () => {
  const text = 'Made by `@default/package`, or write to me@example.com.';
  expect(readDocComment(text)).toMatchObject({ text, defaultValue: undefined });
});

test('lists what is thrown, its type before a colon', () => {
  const { throws } = readDocComment(
    'Starts.\n@throws {TypeError} When\nwrong.\n@throws OrdersError of any kind.',
  );
  expect(throws).toEqual(['TypeError: When wrong.', 'OrdersError of any kind.']);
});

test('takes an example out of its fence, and keeps its lines', () => {
  expect(readDocComment('Does.\n\n@example\n```ts\nconst a = 1;\n\nuse(a);\n```').examples).toEqual([
    'const a = 1;\n\nuse(a);',
  ]);
  expect(readDocComment('Does.\n\n@example\nuse(1);\n\n@throws never').examples).toEqual(['use(1);']);
});

test('names parameters', () => {
  expect(readDocComment('Adds. @param order Its token. @default a random one')).toMatchObject({
    text: 'Adds.',
    parameters: [{ name: 'order', text: 'Its token.' }],
    defaultValue: 'a random one',
  });
});
