import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { ordersProgram, startAtPrompt } from './start-mock.ts';

/** A page whose terminal is recorded. */
export const recordedPage: string = join(import.meta.dirname, '../pages/guides/csv-file.md');

/**
 * Does what a page shows, in a folder of its own: writes its files, starts its mock service and runs the commands of its
 * `console` blocks. Returns the page with what they print.
 */
export async function recordPage(markdown: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'orders-docs-'));
  await using mock = await startAtPrompt(/^.*orders mock.*$/m.exec(markdown)?.[0] ?? '');
  const { ORDERS_URL = '', ORDERS_API_KEY = '' } = mock.env;
  const env = { ...process.env, NO_COLOR: '1', ORDERS_BASE_URL: ORDERS_URL, ORDERS_API_KEY };
  const run = async (command: string): Promise<string> => {
    const printed = await runAtPrompt(command, { cwd: folder, env });
    return printed
      .replaceAll(new URL(ORDERS_URL).port, '8402')
      .replaceAll(/\d+(?= ms\b)/g, '…')
      .replaceAll(/\b20\d\d-\d\d-\d\d \d\d:\d\d:\d\d\b/g, '2026-11-23 12:00:00');
  };
  try {
    let page = '';
    let end = 0;
    for (const block of markdown.matchAll(/^```(csv|console) ?(.*)\n([\s\S]*?)^```$/gm)) {
      const [whole, language, name = '', code = ''] = block;
      page += markdown.slice(end, block.index);
      end = block.index + whole.length;
      if (language === 'csv') {
        await writeFile(join(folder, name), code);
        page += whole;
      } else {
        const parts: string[] = [];
        for (const [line, command = ''] of code.matchAll(/^\$ (.*)$/gm))
          parts.push(`${line}\n${await run(command)}`);
        page += `\`\`\`console\n${parts.join('')}\`\`\``;
      }
    }
    return page + markdown.slice(end);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What a command prints, whatever its exit code. */
function runAtPrompt(
  command: string,
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<string> {
  const words = [process.execPath, ...ordersProgram].map((word) => `'${word}'`).join(' ');
  const script = `exec 2>&1; orders() { ${words} "$@"; }; ${command}`;
  return new Promise((resolve) => {
    execFile('sh', ['-c', script], { ...options, timeout: 60_000 }, (_, stdout) => resolve(stdout));
  });
}
