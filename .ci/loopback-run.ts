/** A global setup of vitest: keeps the records of a run, and fails it for what was refused after its last test. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { describeRefusals, readRefusals } from './loopback-record.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the records, one for each test file. */
    loopbackRecords: string;
  }
}

export function setup(project: TestProject) {
  const folder = mkdtempSync(join(tmpdir(), 'loopback-only-'));
  project.provide('loopbackRecords', folder);
  return () => {
    const late = readdirSync(folder).flatMap((file) => readRefusals(join(folder, file)));
    rmSync(folder, { recursive: true });
    if (late.length > 0) throw new Error(describeRefusals(late));
  };
}
