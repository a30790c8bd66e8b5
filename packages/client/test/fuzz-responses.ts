import { execFile } from 'node:child_process';
import type { Socket } from 'node:net';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  type HostileResponse,
  isOrdinary,
  isUpdateApplied,
  sampleResponses,
  sendHostileResponse,
} from './hostile-responses.ts';
import { startRawServer } from './raw-server.ts';

const run = promisify(execFile);

export interface FuzzOptions {
  /** What the process imports: `@orders/client` or `@orders/client/fetch`. */
  readonly specifier: string;
  readonly seed: number;
  readonly count: number;
  /** The program that runs the calls. @default this one */
  readonly node?: string;
}

/**
 * Calls a service of hostile responses from a process of its own. Returns what the calls came to, and each outcome that
 * the service's ledger contradicts.
 *
 * @throws Error when the process ends in any other way than with code 0.
 */
export async function fuzzResponses({ specifier, seed, count, node = process.execPath }: FuzzOptions) {
  const responses = sampleResponses(seed, count);
  const used = new WeakSet<Socket>();
  /** The responses, and whether each came over a connection of its own. */
  const received = new Map<number, boolean>();
  await using server = await startRawServer((socket, request) => {
    const id = Number(/x-case: (\d+)/.exec(request)?.[1]);
    received.set(id, !used.has(socket));
    used.add(socket);
    const response = responses[id];
    if (response) void sendHostileResponse(socket, response);
  });
  const child = fileURLToPath(import.meta.resolve('./fuzz-responses-child.ts'));
  const args = ['--conditions=@orders/source', child, specifier, server.url, String(seed), String(count)];
  const { stdout } = await run(node, args, { maxBuffer: 1 << 26 });
  const outcomes: readonly string[] = JSON.parse(stdout);
  const counts: Record<string, number> = {};
  const untrue: string[] = [];
  for (const [id, response] of responses.entries()) {
    const outcome = outcomes[id] ?? 'no outcome';
    counts[outcome] = (counts[outcome] ?? 0) + 1;
    if (!allowedOutcomes(response, received.get(id)).includes(outcome))
      untrue.push(`${outcome} after response ${id} of seed ${seed}: ${JSON.stringify(response)}`);
  }
  return { counts, untrue };
}

/**
 * The outcomes that are true of an update. `unknown` is true of all that left; an ordinary response must be read, unless
 * an earlier one has spoilt its connection.
 */
function allowedOutcomes(response: HostileResponse, isFirst: boolean | undefined): readonly string[] {
  if (isFirst === undefined) return ['not_sent', 'unknown'];
  const certain = isUpdateApplied(response) ? ['ok', 'applied'] : ['rejected'];
  const mustBeRead = isFirst && isOrdinary(response) && /^(2|4(?!08))/.test(response.status);
  return mustBeRead ? certain : [...certain, 'unknown'];
}
