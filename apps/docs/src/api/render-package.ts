import type { ApiEntry, ApiItem, ApiKind, ApiMember, ApiPackage, ApiVariant } from './api-model.ts';
import { createLinker, type Linker } from './linker.ts';

const order: readonly ApiKind[] = ['function', 'class', 'schema', 'value', 'type'];

/** Writes the page of one package, as Markdown; `packages` are all there are, since one may name the types of another. */
export function renderPackage(one: ApiPackage, packages: readonly ApiPackage[]): string {
  return [
    `---\ntitle: 'Exports of ${one.name}'\noutline: [2, 3]\nprev: false\nnext: false\n---`,
    `# Exports of ${one.name}`,
    `${one.description} Every export, from the sources. [The package's page](/packages/${one.slug}) explains how to use it.`,
    ...one.entries.flatMap((entry) => renderEntry(entry, createLinker(entry, one, packages))),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n');
}

function renderEntry(entry: ApiEntry, linker: Linker): string[] {
  const { specifier, items, sameNames, foreign } = entry;
  const sorted = order.flatMap((kind) => items.filter((item) => item.kind === kind));
  const same = sameNames.map((name) => linker.code(name)).join(', ');
  return [
    `## ${specifier}`,
    ...[...Map.groupBy(foreign, ({ from }) => from)].map(
      ([from, names]) =>
        `${names.map(({ name }) => `\`${name}\``).join(', ')}: those of [${from}](https://www.npmjs.com/package/${from}).`,
    ),
    ...(same === '' ? [] : [`The same as above: ${same}.`]),
    ...sorted.flatMap((item) => renderItem(item, linker)),
  ];
}

function renderItem(item: ApiItem, linker: Linker): string[] {
  const { name, kind, comment, declaration, members, bases, variants } = item;
  const methods = members.filter(({ isMethod }) => isMethod);
  return [
    `### ${name} <span class="api-kind ignore-header">${kind}</span> {#${linker.anchorOf(name)}}`,
    linker.text(comment.text, name),
    // The head of a plain interface says nothing that its heading does not, nor does a union that is told in parts.
    /^interface \w+$/.test(declaration) || variants.length > 0 ? '' : fence(declaration),
    renderList(
      members.filter(({ isMethod }) => !isMethod),
      linker,
    ),
    ...(bases.length > 0 ? [`Besides, all of ${bases.map((base) => linker.code(base)).join(' and ')}.`] : []),
    ...methods.flatMap((method) => renderMethod(method, item, linker)),
    ...variants.flatMap((variant) => renderVariant(variant, linker)),
    ...comment.throws.map((text) => `**Throws** ${linker.text(text, name)}`),
    ...comment.examples.map((code) => renderExample(code, item, linker)),
  ];
}

/** An example that shows no import is part of a program: it is given the import, and checked, not run. */
function renderExample(code: string, { name }: ApiItem, { specifier }: Linker): string {
  return code.includes('import ')
    ? fence(code, '')
    : fence(`import { ${name} } from '${specifier}';\n\n${code}`, ' no-run excerpt');
}

function renderMethod(
  { name, type, comment }: ApiMember,
  { name: owner }: ApiItem,
  linker: Linker,
): string[] {
  const heading = name.startsWith('[') ? name : `${owner}.${name}`;
  return [
    `#### ${escapeHtml(heading)} {#${linker.anchorOf(`${owner}-${name.replaceAll(/\W/g, '')}`)}}`,
    linker.text(comment.text, owner),
    fence(name + type),
    ...comment.parameters.map((parameter) => `\`${parameter.name}\`: ${linker.text(parameter.text, owner)}`),
    ...(comment.defaultValue === undefined ? [] : [`Default: ${linker.text(comment.defaultValue, owner)}.`]),
    ...comment.throws.map((text) => `**Throws** ${linker.text(text, owner)}`),
  ];
}

function renderVariant({ name, comment, members }: ApiVariant, linker: Linker): string[] {
  return [`**\`${name}\`**: ${linker.text(comment.text, '')}`, renderList(members, linker)];
}

function renderList(members: readonly ApiMember[], linker: Linker): string {
  if (members.length === 0) return '';
  return `<dl class="api-members">\n${members.map((member) => renderMember(member, linker)).join('\n')}\n</dl>`;
}

function renderMember({ name, isOptional, type, comment }: ApiMember, linker: Linker): string {
  const { defaultValue, text } = comment;
  const told = defaultValue === undefined ? text : `${text} ${tellDefault(defaultValue)}`.trim();
  return [
    '<div>',
    `<dt v-pre><code>${escapeHtml(name)}${isOptional ? '?' : ''}</code> <code class="api-type">${linker.type(type)}</code></dt>`,
    ...(told === '' ? [] : [`<dd>\n\n${linker.text(told, '')}\n\n</dd>`]),
    '</div>',
  ].join('\n');
}

/** A default is code where it can be, and words where it must. */
function tellDefault(value: string): string {
  const isCode =
    /^(-?[\d_]+|true|false|Infinity|\{\}|'[^']*'|[A-Za-z.]+[a-z][A-Z]\w*|Date\.now|OrderUpdate)$/.test(value);
  return `<span class="api-default">Default: ${isCode ? `\`${value}\`` : value}</span>`;
}

function fence(code: string, flag = ' signature'): string {
  return `\`\`\`ts${flag}\n${code}\n\`\`\``;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
