/** Writes the version in the client's package.json into its source, after `changeset version`. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const client = join(import.meta.dirname, '../../../packages/client');
const file = join(client, 'src/version.ts');
const { version } = JSON.parse(await readFile(join(client, 'package.json'), 'utf8'));
const source = await readFile(file, 'utf8');
const line = /^export const version = '[^']*';$/m;
if (!line.test(source)) throw new Error(`${file} has no line that exports a version.`);
await writeFile(file, source.replace(line, `export const version = '${version}';`));
