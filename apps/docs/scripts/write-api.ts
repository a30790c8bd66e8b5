/** Writes the pages of the API reference from the sources of the packages. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPackages } from '../src/api/find-packages.ts';
import { readPackages } from '../src/api/read-package.ts';
import { renderPackage } from '../src/api/render-package.ts';

const docs = join(import.meta.dirname, '..');
const pages = join(docs, 'pages/api');
const packages = readPackages(findPackages(), join(docs, 'tsconfig.json'));

rmSync(pages, { recursive: true, force: true });
mkdirSync(pages, { recursive: true });
for (const one of packages) writeFileSync(join(pages, `${one.slug}.md`), renderPackage(one, packages));
