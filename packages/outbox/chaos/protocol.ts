/** What the chaos run tells a worker process, as one line of JSON each. */
export type Order =
  | { readonly kind: 'enqueue'; readonly id: string; readonly token: string; readonly step: number }
  | { readonly kind: 'decide'; readonly retry: readonly string[]; readonly discard: readonly string[] }
  | { readonly kind: 'list' }
  | { readonly kind: 'counts' };

/** What it answers, one for each, in any order. */
export interface Answer {
  readonly number: number;
  readonly result?: unknown;
  readonly error?: string;
}

/** What a worker process is told at its start, by its environment. */
export interface WorkerSettings {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly engine: Engine;
  /** A connection string, or a folder. */
  readonly place: string;
}

export type Engine = 'postgres' | 'pglite';
