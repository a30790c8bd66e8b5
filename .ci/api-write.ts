/** `pnpm api`: writes what the built packages promise to `packages/<name>/api`, for review. */
import { join } from 'node:path';
import { listPackages } from './api-packages.ts';
import { makeReports, writeReports } from './api-reports.ts';

const root = join(import.meta.dirname, '..');
const reports = makeReports(root);
for (const pkg of listPackages(root)) writeReports(pkg, reports.get(pkg.name) ?? new Map());
