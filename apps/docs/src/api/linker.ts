import type { ApiEntry, ApiPackage } from './api-model.ts';

/** Turns the names of exports into links, wherever they stand. */
export interface Linker {
  /** The import path that it links from. */
  readonly specifier: string;
  /** The anchor of a name at this entry: two entries of a page may export the same name. */
  anchorOf(name: string): string;
  /** A type, as HTML. */
  type(text: string): string;
  /** A name, as Markdown. */
  code(name: string): string;
  /** The text of a doc comment, as Markdown that links names in backticks but for its own. */
  text(markdown: string, own: string): string;
}

/** Links from an entry: to the entry itself first, then to others of its page, then to other pages. */
export function createLinker(here: ApiEntry, page: ApiPackage, packages: readonly ApiPackage[]): Linker {
  const targets = new Map<string, string>();
  const others = packages.filter((one) => one !== page);
  const places = [
    [page, here] as const,
    ...[page, ...others].flatMap((one) => one.entries.map((entry) => [one, entry] as const)),
  ];
  for (const [one, entry] of places) {
    for (const { name } of entry.items) {
      if (targets.has(name)) continue;
      targets.set(name, `${one === page ? '' : `/api/${one.slug}`}#${anchorAt(entry, one, name)}`);
    }
  }
  const htmlTargets = (name: string): string | undefined =>
    targets.get(name)?.replace(/^(\/.*)#/, '$1.html#');

  const type = (text: string): string =>
    text.replaceAll(/'[^']*'|[A-Za-z_$][\w$]*|[&<>]/g, (token, at: number) => {
      const target = text[at - 1] === '.' ? undefined : htmlTargets(token);
      const shown = token.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
      return target === undefined ? shown : `<a href="${target}">${shown}</a>`;
    });
  const code = (name: string): string => {
    const target = targets.get(name);
    return target === undefined ? `\`${name}\`` : `[\`${name}\`](${target})`;
  };
  return {
    specifier: here.specifier,
    anchorOf: (name) => anchorAt(here, page, name),
    type,
    code,
    text: (markdown, own) =>
      markdown.replaceAll(/`([^`]+)`|<(?!\/?span)/g, (whole, name: string | undefined) =>
        name === undefined ? '&lt;' : name === own ? whole : code(name),
      ),
  };
}

/** In small letters, as the site writes the anchors of links. */
function anchorAt(entry: ApiEntry, page: ApiPackage, name: string): string {
  const path = entry.specifier.slice(page.name.length + 1);
  return (path === '' ? name : `${path}-${name}`).toLowerCase();
}
