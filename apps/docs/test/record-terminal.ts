import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { runIn } from '../../../packages/cli/test/run-here.ts';
import { createFolder } from '../../../packages/cli/test/run-orders.ts';
import { startAtPrompt } from './start-mock.ts';

/** A page whose terminal is recorded. */
export const recordedPage: string = join(import.meta.dirname, '../pages/guides/csv-file.md');

/**
 * Does what a page shows, in a folder of its own: writes its files, starts its mock service and runs the commands of its
 * `console` blocks. Returns the page with what they print.
 */
export async function recordPage(markdown: string): Promise<string> {
  await using folder = await createFolder();
  await using mock = await startAtPrompt(/^.*orders mock.*$/m.exec(markdown)?.[0] ?? '');
  const { ORDERS_BASE_URL = '', ORDERS_API_KEY = '' } = mock.env;
  const env = { ORDERS_BASE_URL: ORDERS_BASE_URL, ORDERS_API_KEY };
  const run = async (command: string): Promise<string> => {
    const printed = command.startsWith('orders ')
      ? await runIn(folder, command.split(' ').slice(1), env)
      : await promisify(execFile)('sh', ['-c', command], { cwd: folder.path });
    return `${printed.stdout}${printed.stderr}`
      .replaceAll(new URL(ORDERS_BASE_URL).port, '8402')
      .replaceAll(/\d+(?= ms\b)/g, '…')
      .replaceAll(/\b20\d\d-\d\d-\d\d \d\d:\d\d:\d\d\b/g, '2026-11-23 12:00:00');
  };
  // The defaults of options come from the environment of the process.
  process.env['ORDERS_BASE_URL'] = ORDERS_BASE_URL;
  using _ = { [Symbol.dispose]: () => void delete process.env['ORDERS_BASE_URL'] };
  let page = '';
  let end = 0;
  for (const block of markdown.matchAll(/^```(csv|console) ?(.*)\n([\s\S]*?)^```$/gm)) {
    const [whole, language, name = '', code = ''] = block;
    page += markdown.slice(end, block.index);
    end = block.index + whole.length;
    if (language === 'csv') {
      await writeFile(folder.file(name), code);
      page += whole;
    } else {
      const parts: string[] = [];
      for (const [line, command = ''] of code.matchAll(/^\$ (.*)$/gm))
        parts.push(`${line}\n${await run(command)}`);
      page += `\`\`\`console\n${parts.join('')}\`\`\``;
    }
  }
  return page + markdown.slice(end);
}
