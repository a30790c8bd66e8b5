import { readFile, writeFile } from 'node:fs/promises';
import { recordedPage, recordPage } from '../test/record-terminal.ts';

await writeFile(recordedPage, await recordPage(await readFile(recordedPage, 'utf8')));
