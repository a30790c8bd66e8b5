import { readFileSync } from 'node:fs';
import process from 'node:process';
import { expect, test } from 'vitest';
import { recordedPage, recordPage } from './record-terminal.ts';

test.skipIf(process.platform === 'win32')(
  'each recording of the terminal is what the commands print',
  async () => {
    const page = readFileSync(recordedPage, 'utf8');
    expect(page.match(/^\$ orders /gm)?.length).toBeGreaterThan(5);
    // `pnpm --filter docs record` writes it anew.
    expect(await recordPage(page)).toBe(page);
  },
  120_000,
);
