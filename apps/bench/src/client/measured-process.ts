/** One measured process: a client, a validator or an import, without the libraries of the others. */
import process from 'node:process';
import { buildUpdate, cpuMs, orderTokens, runConcurrently } from '../workload.ts';
import type { PeerName, Send } from './peers.ts';

export interface Turn {
  readonly lines: number;
  readonly requests: number;
  readonly concurrency: number;
}

/** The cost of one turn. */
export interface Usage {
  readonly requests: number;
  readonly cpuMs: number;
  readonly wallMs: number;
  /** The most memory that the process has held so far, in bytes. */
  readonly peakBytes: number;
}

/** Ways to validate an update. */
export const validators = {
  zod: { label: 'zod', load: async () => (await import('./hand-written-update.ts')).HandWrittenUpdate },
  ours: { label: '@orders/schema', load: async () => (await import('@orders/schema')).OrderUpdate },
  compiled: {
    label: '@orders/schema/compile',
    async load() {
      const { OrderUpdate } = await import('@orders/schema');
      return (await import('@orders/schema/compile')).compileOrderUpdate(OrderUpdate);
    },
  },
} as const;

export type ValidatorName = keyof typeof validators;

export function start(_settings: object) {
  let send: Send = () => Promise.reject(new TypeError('Call open() first.'));
  let schema: { parse(update: unknown): unknown } | undefined;
  return {
    async open(name: PeerName, baseUrl: string): Promise<void> {
      const { peers } = await import('./peers.ts');
      send = await peers[name].create(baseUrl);
    },
    /** Sends one update and resolves with the response. */
    probe: (lines: number): Promise<unknown> => send(orderTokens[0] ?? '', buildUpdate(lines)),
    async turn({ lines, requests, concurrency }: Turn): Promise<Usage> {
      const update = buildUpdate(lines);
      const [startedAt, cpuBefore] = [performance.now(), cpuMs()];
      await runConcurrently(requests, concurrency, (index) =>
        send(orderTokens[index % orderTokens.length] ?? '', update),
      );
      const [cpu, wallMs] = [cpuMs() - cpuBefore, performance.now() - startedAt];
      return { requests, cpuMs: cpu, wallMs, peakBytes: process.resourceUsage().maxRSS * 1_024 };
    },

    /** Validates an update so many times, always with the same validator; returns the CPU time in milliseconds. */
    async check(name: ValidatorName, lines: number, times: number): Promise<number> {
      schema ??= await validators[name].load();
      const update = buildUpdate(lines);
      const before = cpuMs();
      for (let time = 0; time < times; time += 1) schema.parse(update);
      return cpuMs() - before;
    },

    /** Imports modules; returns the CPU time in milliseconds. */
    async load(specifiers: readonly string[]): Promise<number> {
      const before = cpuMs();
      for (const specifier of specifiers) await import(specifier);
      return cpuMs() - before;
    },
  };
}
