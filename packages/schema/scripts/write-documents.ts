import { readFileSync, writeFileSync } from 'node:fs';
import { buildDocuments } from './documents.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

for (const [name, document] of Object.entries(buildDocuments(version))) {
  writeFileSync(new URL(`../dist/${name}`, import.meta.url), `${JSON.stringify(document, null, 2)}\n`);
}
