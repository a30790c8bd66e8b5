/** What is asked of a `fetch` here: the global one, or one that goes through a proxy or shows a certificate. */
export type ConformanceFetch = (url: string, init: ConformanceFetchInit) => Promise<ConformanceFetchAnswer>;

/** How a request is sent: the part of `RequestInit` that is used. */
export interface ConformanceFetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly redirect: 'manual';
  readonly signal: AbortSignal;
}

/** The part of a `Response` that is read. */
export interface ConformanceFetchAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: {
    getReader(): {
      read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
      cancel(): Promise<void>;
    };
  } | null;
}
