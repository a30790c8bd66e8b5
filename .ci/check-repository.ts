/** `pnpm check:repository`: packages are not released while they would link to a placeholder of where they live. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

const { homepage, repository, bugs } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'),
);
const placeholders = Object.entries({ homepage, repository: repository.url, bugs })
  .filter(([, url]) => new URL(url.replace(/^git\+/, '')).hostname.endsWith('.example'))
  .map(([name]) => name);
if (placeholders.length > 0) {
  process.stdout.write(
    `Nothing is released while package.json has placeholders: fill in ${placeholders.join(', ')}.\n`,
  );
  process.exitCode = 1;
}
