import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The version of an installed peer, as its own manifest tells it. */
export function versionOf(name: string): string {
  return String(readManifest(new URL(`node_modules/${name}/package.json`, import.meta.url))['version']);
}

/** The file behind a command of the package with this manifest: to end its process is then to end it. */
export function programOf(manifest: string, command: string): string {
  const { bin } = readManifest(new URL(manifest)) as { readonly bin?: Readonly<Record<string, string>> };
  const file = bin?.[command];
  if (file === undefined) throw new Error(`${manifest} has no command ${command}.`);
  return fileURLToPath(new URL(file, manifest));
}

function readManifest(manifest: URL): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(manifest, 'utf8'));
}
