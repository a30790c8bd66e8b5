import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'node-html-parser';
import { siteFolder } from './serve-site.ts';

/** One page of the built site. */
export interface SitePage {
  /** Such as `guides/bulk.html`. */
  readonly path: string;
  readonly anchors: ReadonlySet<string>;
  /** Where its links lead, as written. */
  readonly links: readonly string[];
  /** What it loads: scripts, styles, pictures. */
  readonly sources: readonly string[];
}

/** Reads every page of the built site. */
export function readSite(): readonly SitePage[] {
  return globSync('**/*.html', { cwd: siteFolder })
    .toSorted()
    .map((path) => readSitePage(path, readFileSync(join(siteFolder, path), 'utf8')));
}

/** Reads one page. */
export function readSitePage(path: string, html: string): SitePage {
  const root = parse(html);
  const all = (selector: string, attribute: string): string[] =>
    root.querySelectorAll(selector).map((element) => element.getAttribute(attribute) ?? '');
  return {
    path,
    anchors: new Set(all('[id]', 'id')),
    links: all('a[href]', 'href'),
    sources: [...all('[src]', 'src'), ...all('link[href]', 'href')],
  };
}
