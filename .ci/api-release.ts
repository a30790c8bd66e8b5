/** Run after `changeset version`: from now on changes are told against what is released now. */
import { join } from 'node:path';
import { listPackages } from './api-packages.ts';
import { releaseReports } from './api-reports.ts';

for (const pkg of listPackages(join(import.meta.dirname, '..'))) releaseReports(pkg);
