import type { HttpPeer } from './http-peer.ts';
import { run, runCurl } from './run-curl.ts';

export const curlPeer: HttpPeer = { name: 'curl', cannot: {}, send: runCurl };

/** The version of the curl on the PATH; undefined when there is none. */
export async function findCurl(): Promise<string | undefined> {
  try {
    return /^curl (\S+)/.exec(await run('curl', ['-q', '--version']))?.[1];
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
