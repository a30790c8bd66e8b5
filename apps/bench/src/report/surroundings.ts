import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { cpus } from 'node:os';
import process from 'node:process';
import type { Surroundings } from './build-result.ts';

/** Where and when this runs. */
export function readSurroundings(): Surroundings {
  return {
    date: new Date().toISOString().slice(0, 10),
    node: process.versions.node,
    cpu: cpus()[0]?.model ?? 'unknown CPU',
    versionOf: (packageName) =>
      packageName === undefined ? `Node ${process.versions.node}` : readVersion(packageName),
  };
}

function readVersion(packageName: string): string {
  const file = findPackageJSON(packageName, import.meta.url);
  const manifest: unknown = file === undefined ? {} : JSON.parse(readFileSync(file, 'utf8'));
  const isVersioned = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return isVersioned ? String(manifest.version) : 'unknown';
}
