import { expect, test } from 'vitest';
import type { ApiItem, ApiMember, ApiPackage } from './api-model.ts';
import { readDocComment } from './doc-comment.ts';
import { renderPackage } from './render-package.ts';

const comment = readDocComment;

function item(given: Partial<ApiItem>): ApiItem {
  return {
    name: 'send',
    kind: 'function',
    comment: comment('Sends.'),
    declaration: 'function send(): void',
    members: [],
    bases: [],
    variants: [],
    ...given,
  };
}

function member(given: Partial<ApiMember>): ApiMember {
  return { name: 'port', isOptional: true, isMethod: false, type: 'number', comment: comment(''), ...given };
}

function page(...items: ApiItem[]): string {
  const entries = [{ specifier: '@shop/a', items, sameNames: [], foreign: [] }];
  const one: ApiPackage = { name: '@shop/a', slug: 'a', description: 'Does.', entries };
  const other: ApiPackage = {
    name: '@shop/b',
    slug: 'b',
    description: 'Does.',
    entries: [{ specifier: '@shop/b', items: [item({ name: 'Other' })], sameNames: [], foreign: [] }],
  };
  return renderPackage(one, [one, other]);
}

test('functions come before types', () => {
  const written = page(item({ name: 'Options', kind: 'type' }), item({ name: 'send' }));
  expect(written.indexOf('### send')).toBeLessThan(written.indexOf('### Options'));
});

test('an option tells its type, its sentence and its default, code as code and words as words', () => {
  const options = (text: string): string => page(item({ members: [member({ comment: comment(text) })] }));
  expect(options('TCP port. @default 4_010')).toContain(
    'TCP port. <span class="api-default">Default: `4_010`</span>',
  );
  expect(options('TCP port. @default one that is free')).toContain('Default: one that is free</span>');
  expect(options('TCP port.')).toContain('<code>port?</code> <code class="api-type">number</code>');
});

test('a type of another package is a link to its page, and one of the same page an anchor', () => {
  const written = page(
    item({ members: [member({ type: 'Map<Other, Own>' })] }),
    item({ name: 'Own', kind: 'type' }),
  );
  expect(written).toContain('Map&lt;<a href="/api/b.html#other">Other</a>, <a href="#own">Own</a>&gt;');
});

test('a name in backticks links, but not to itself, and a bare angle bracket stays text', () => {
  const written = page(item({ comment: comment('As `Other` and `send` do to <token>, not `a<b`.') }));
  expect(written).toContain('As [`Other`](/api/b#other) and `send` do to &lt;token>, not `a<b`.');
});

test('an example without an import is given one, and is marked as part of a program', () => {
  const written = page(item({ comment: comment('Sends.\n@example\nsend();') }));
  expect(written).toContain("```ts no-run excerpt\nimport { send } from '@shop/a';\n\nsend();\n```");
});

test('what is thrown, methods and variants are told', () => {
  const written = page(
    item({
      comment: comment('Sends.\n@throws {TypeError} When wrong.'),
      members: [member({ name: 'close', isMethod: true, type: '(): void', comment: comment('Ends.') })],
      variants: [{ name: "fault: 'reset'", comment: comment('Resets.'), members: [member({})] }],
    }),
  );
  expect(written).toContain('**Throws** TypeError: When wrong.');
  expect(written).toContain('#### send.close {#send-close}\n\nEnds.\n\n```ts signature\nclose(): void\n```');
  expect(written).toContain("**`fault: 'reset'`**: Resets.");
});
