import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type PackageName, scoped } from '../src/packing/package-names.ts';

const run = promisify(execFile);

export interface PublishedManifest {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly dist: { readonly tarball: string };
}

/** What the registry holds of a package. */
export interface Published {
  readonly tags: Readonly<Record<string, string>>;
  readonly versions: readonly string[];
  readonly manifest: (version: string) => PublishedManifest;
}

/** Asks a registry for a package of ours. */
export async function readPublished(registry: string, name: PackageName): Promise<Published> {
  const answer = await fetch(`${registry}${encodeURIComponent(scoped(name))}`);
  if (!answer.ok) throw new Error(`The registry answers ${answer.status} for ${scoped(name)}.`);
  const { 'dist-tags': tags, versions } = (await answer.json()) as {
    'dist-tags': Record<string, string>;
    versions: Record<string, PublishedManifest>;
  };
  return {
    tags,
    versions: Object.keys(versions),
    manifest(version) {
      const manifest = versions[version];
      if (!manifest) throw new Error(`${scoped(name)} has no ${version}.`);
      return manifest;
    },
  };
}

/** Fetches a published file, unpacks it to a folder, and gives a way to read what is in it. */
export async function unpack(
  { dist }: PublishedManifest,
  folder: string,
): Promise<(file: string) => Promise<string>> {
  await mkdir(folder, { recursive: true });
  const answer = await fetch(dist.tarball);
  await writeFile(join(folder, 'package.tgz'), Buffer.from(await answer.arrayBuffer()));
  await run('tar', ['-xzf', 'package.tgz'], { cwd: folder });
  return (file) => readFile(join(folder, 'package', file), 'utf8');
}
