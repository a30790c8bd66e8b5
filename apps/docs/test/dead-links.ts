import type { SitePage } from './read-site.ts';

/** A link that leads nowhere, and why. */
export interface DeadLink {
  readonly page: string;
  readonly link: string;
  readonly why: 'no such page' | 'no such anchor' | 'not well-formed';
}

/** The links of a site that lead nowhere in it. Links to other hosts are not fetched: they have to be well-formed. */
export function findDeadLinks(pages: readonly SitePage[], files: ReadonlySet<string>): readonly DeadLink[] {
  const byPath = new Map(pages.map((page) => [page.path, page]));
  return pages.flatMap(({ path, links }) =>
    links.flatMap((link) => {
      const why = judge(link, path, byPath, files);
      return why === undefined ? [] : [{ page: path, link, why }];
    }),
  );
}

const here = 'http://site.test';

function judge(
  link: string,
  from: string,
  pages: ReadonlyMap<string, SitePage>,
  files: ReadonlySet<string>,
): DeadLink['why'] | undefined {
  if (!URL.canParse(link, `${here}/${from}`)) return 'not well-formed';
  const url = new URL(link, `${here}/${from}`);
  if (url.origin !== here) {
    const isFine = url.protocol === 'https:' && /\.[a-z]{2,}$/.test(url.hostname) && !/\s/.test(link);
    return isFine ? undefined : 'not well-formed';
  }
  const path = decodeURIComponent(url.pathname.slice(1)).replace(/(^|\/)$/, '$1index.html');
  const target = pages.get(path);
  if (!target) return files.has(path) ? undefined : 'no such page';
  const anchor = decodeURIComponent(url.hash.slice(1));
  return anchor === '' || target.anchors.has(anchor) ? undefined : 'no such anchor';
}
