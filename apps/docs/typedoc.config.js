import { join, relative } from 'node:path';
import { Comment, Converter, ReflectionFlag } from 'typedoc';
import { MarkdownPageEvent } from 'typedoc-plugin-markdown';
import { entries } from './src/repository.ts';

const packages = join(import.meta.dirname, '../../packages');
/** Headings that stand under each function would fill the outline and the search. */
const partHeading =
  /^#{4,6} ((?:Type )?Parameters|Returns|Throws|Extends|Extended by|Inherited from|Example|See|Default)$/gm;

/** Names each page for its import path, and links the page of the API where a comment names it. */
function adapt(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.children ?? []) {
      const entry = entries.find(({ file }) => nameOf(file) === module.name);
      if (!entry) throw new Error(`${module.name} is no import path of a package`);
      module.name = entry.specifier;
      const guide = `[How to use it](/packages/${entry.slug.split('/')[0]}.md)`;
      module.comment ??= new Comment([{ kind: 'text', text: `${entry.description} ${guide}` }]);
      for (const type of module.children ?? []) {
        // It would be part of the heading, and of the links to it.
        type.setFlag(ReflectionFlag.Abstract, false);
        // The base that a schema infers is not exported; its fields are.
        type.extendedTypes = type.extendedTypes?.filter(({ name }) => !['infer', 'output'].includes(name));
      }
    }
  });
  app.renderer.on(MarkdownPageEvent.END, (page) => {
    page.contents = page.contents
      ?.replace(partHeading, '**$1**')
      .replace(/\bAPI reference\b/g, '[API reference](/api-reference.md)');
  });
}

/** What TypeDoc calls an entry: its path below `packages`, without `index.ts`. */
const nameOf = (file) =>
  relative(packages, file)
    .replaceAll('\\', '/')
    .replace(/(\/index)?\.ts$/, '');

// biome-ignore lint/style/noDefaultExport: TypeDoc loads the default export.
export default {
  plugin: ['typedoc-plugin-markdown', adapt],
  entryPoints: entries.map(({ file }) => file),
  basePath: packages,
  displayBasePath: packages,
  tsconfig: 'tsconfig.api.json',
  // Each package's build finds them.
  skipErrorChecking: true,
  out: 'pages/api',
  router: 'module',
  entryFileName: 'index',
  excludeScopesInPaths: true,
  readme: 'none',
  excludeExternals: true,
  excludePrivate: true,
  excludeInternal: true,
  disableSources: true,
  disableGit: true,
  treatWarningsAsErrors: true,
  validation: { notExported: false },
  kindSortOrder: ['Function', 'Class', 'Variable', 'Interface', 'TypeAlias'],
  groupOrder: ['Functions', 'Classes', 'Variables', 'Interfaces', 'Type Aliases'],
  sort: ['kind', 'source-order'],
  hidePageHeader: true,
  hideBreadcrumbs: true,
  pageTitleTemplates: { index: 'Exports', module: 'Exports of {name}' },
  useCodeBlocks: true,
  useHTMLAnchors: true,
  expandObjects: true,
  sanitizeComments: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  propertyMembersFormat: 'table',
  typeDeclarationFormat: 'table',
  tableColumnSettings: {
    hideDefaults: true,
    hideInherited: true,
    hideModifiers: true,
    hideOverrides: true,
    leftAlignHeaders: true,
  },
};
