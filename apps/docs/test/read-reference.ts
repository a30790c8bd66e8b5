import { join } from 'node:path';
import type { ApiPackage } from '../src/api/api-model.ts';
import { findPackages } from '../src/api/find-packages.ts';
import { readPackages } from '../src/api/read-package.ts';

let reference: readonly ApiPackage[] | undefined;

/** What the packages promise, as their sources tell it now; read once, since that takes seconds. */
export function readReference(): readonly ApiPackage[] {
  reference ??= readPackages(findPackages(), join(import.meta.dirname, '../tsconfig.json'));
  return reference;
}
