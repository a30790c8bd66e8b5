/** Writes the version in the client's package.json into its source, after `changeset version`. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withVersion } from './with-version.ts';

const client = join(import.meta.dirname, '..', '..', '..', '..', 'packages', 'client');
const source = join(client, 'src', 'version.ts');
const { version } = JSON.parse(await readFile(join(client, 'package.json'), 'utf8'));
await writeFile(source, withVersion(await readFile(source, 'utf8'), version));
