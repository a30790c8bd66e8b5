import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import type { Result } from './case.ts';
import { versionOf } from './installed.ts';
import { markdownOf, totalsOf } from './table.ts';

const packages = [
  '@stoplight/prism-cli',
  '@redocly/cli',
  '@stoplight/spectral-cli',
  '@cfworker/json-schema',
  '@hyperjump/json-schema',
  'jsonschema',
  'axios',
  'got',
  'ky',
  'openapi-typescript',
  'openapi-fetch',
  'typescript',
];

/** Every peer with its version, as one line. */
export function versionsWith(curl: string | undefined): string {
  const installed = packages.map((name) => `${name} ${versionOf(name)}`);
  const found = curl === undefined ? [] : [`curl ${curl}`];
  return [
    `Node ${process.versions.node} (its fetch: undici ${process.versions['undici']})`,
    ...found,
    ...installed,
  ].join(', ');
}

/** Writes RESULT.md, so that a reader need not install what a run takes. */
export function record(results: readonly Result[], versions: string): void {
  const text = [
    '# The last recorded run',
    `\`pnpm interop --record\` wrote this on ${new Date().toISOString().slice(0, 10)}: ${totalsOf(results)}.`,
    `With ${versions}.`,
    markdownOf(results),
    '',
  ].join('\n\n');
  writeFileSync(join(import.meta.dirname, 'RESULT.md'), `${text.trimEnd()}\n`);
}
