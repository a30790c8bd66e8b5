import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { endWithUs } from '../end-with-us.ts';
import { quiet } from '../run-tool.ts';
import { type PeerAnswer, type PeerRequest, urlOf } from './http-peer.ts';

export interface CurlRequest extends PeerRequest {
  /** More words of the command line. */
  readonly words?: readonly string[];
  /** Where the body comes from: a file, or a pipe whose length curl cannot know. @default 'file' */
  readonly from?: 'file' | 'pipe';
}

export interface CurlAnswer extends PeerAnswer {
  /** Statuses that came before it, such as 100. */
  readonly interim: readonly number[];
}

const longestSeconds = 30;

/** Sends requests by one run of curl, which keeps its connection between them. */
export async function runCurl(requests: readonly CurlRequest[]): Promise<readonly CurlAnswer[]> {
  const folder = await mkdtemp(join(tmpdir(), 'orders-interop-'));
  const files = requests.map((_, index) => join(folder, String(index)));
  try {
    const words = await Promise.all(files.map((file, index) => wordsOf(requests[index], file)));
    const piped = requests.find(({ from }) => from === 'pipe');
    await run('curl', ['-q', ...words.flatMap((each, index) => (index === 0 ? each : ['--next', ...each]))], {
      input: JSON.stringify(piped?.body),
    });
    return await Promise.all(files.map(readAnswer));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs a command that curl is in, as a person would at a prompt. Rejects with what it told when it fails. */
export function run(
  program: string,
  words: readonly string[],
  { input, env }: { readonly input?: string | undefined; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = {
      env: { ...quiet, ...env },
      timeout: longestSeconds * 1_000,
      killSignal: 'SIGKILL',
    } as const;
    const child = execFile(program, words, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else if (typeof error.code === 'string') reject(error);
      // Its own message shows the command, and the key in it.
      else reject(new Error(`${program} ended with ${error.code ?? error.signal}: ${stderr.trim()}`));
    });
    endWithUs(child);
    // It may have its answer before it has read everything.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

async function wordsOf(request: CurlRequest | undefined, file: string): Promise<readonly string[]> {
  if (request === undefined) return [];
  const { method, headers = {}, apiKey, words = [] } = request;
  return [
    ...['--silent', '--show-error', '--max-time', String(longestSeconds), '--user', `${apiKey}:`],
    ...(method === 'HEAD' ? ['--head'] : ['--request', method]),
    ...(await bodyWordsOf(request, `${file}.body`)),
    ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
    // Of HEAD it would write the head there once more.
    ...['--dump-header', `${file}.head`, '--output', method === 'HEAD' ? devNull : `${file}.answer`],
    ...words,
    urlOf(request),
  ];
}

async function bodyWordsOf({ body, from = 'file' }: CurlRequest, file: string): Promise<readonly string[]> {
  if (body === undefined) return [];
  const type = ['--header', 'content-type: application/json'];
  if (from === 'pipe') return [...type, '--upload-file', '-'];
  await writeFile(file, JSON.stringify(body));
  return [...type, '--data-binary', `@${file}`];
}

async function readAnswer(file: string): Promise<CurlAnswer> {
  const head = await readFile(`${file}.head`, 'utf8');
  const heads = head.split('\r\n\r\n').filter((text) => text !== '');
  const [start = '', ...lines] = heads.at(-1)?.split('\r\n') ?? [];
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  // There is no file where there is no body.
  const body = await readFile(`${file}.answer`, 'utf8').catch(() => '');
  const interim = heads.slice(0, -1).map(statusOf);
  return { status: statusOf(start), headers: Object.fromEntries(headers), body, interim };
}

function statusOf(head: string): number {
  return Number(/^HTTP\/\S+ (\d+)/.exec(head)?.[1]);
}
