import type { OrderForm } from './order-form.ts';

/** How the draft stands: nothing was typed, not kept yet, on its way, kept, or refused. */
export type DraftState =
  | { readonly kind: 'clean' | 'typing' | 'saving' | 'saved' }
  | { readonly kind: 'failed'; readonly why: string };

/** Keeps what is typed a moment after it was typed. */
export interface DraftKeeper {
  /** Tells that something changed. */
  note(): void;
  /** Saves at once what waits to be saved; resolves when nothing is on its way any more. */
  flush(): Promise<void>;
  /** Saves what waits, and ends. */
  close(): void;
}

export interface DraftKeeperOptions {
  /** What is to be kept now; null when nothing was typed. */
  readonly read: () => OrderForm | null;
  /** Keeps a draft, or forgets it when it is null; rejects with an `Error` for the person who types. */
  readonly save: (draft: OrderForm | null) => Promise<void>;
  /** Called whenever the draft stands otherwise. */
  readonly tell: (state: DraftState) => void;
  /** Whether a draft is kept at the start. */
  readonly isKept: boolean;
  /** Quiet time before a draft is saved, in milliseconds. @default 600 */
  readonly delayMs?: number;
  /** How long to wait before trying again what failed, in milliseconds. @default 5000 */
  readonly retryMs?: number;
}

/** Saves drafts one at a time, so that an older one never comes last. */
export function createDraftKeeper(options: DraftKeeperOptions): DraftKeeper {
  const { read, save, tell, delayMs = 600, retryMs = 5000 } = options;
  let kept = options.isKept ? '' : 'null';
  let timer: ReturnType<typeof setTimeout> | undefined;
  let underWay: Promise<void> | undefined;
  let isClosed = false;

  function schedule(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => void flush(), ms);
  }

  async function saveNow(): Promise<void> {
    const draft = read();
    const text = JSON.stringify(draft);
    const settled: DraftState = { kind: draft ? 'saved' : 'clean' };
    if (text === kept) return tell(settled);
    tell({ kind: 'saving' });
    try {
      await save(draft);
      kept = text;
      if (timer === undefined) tell(settled);
    } catch (error) {
      tell({ kind: 'failed', why: error instanceof Error ? error.message : String(error) });
      if (timer === undefined && !isClosed) schedule(retryMs);
    }
  }

  function flush(): Promise<void> {
    if (timer === undefined) return underWay ?? Promise.resolve();
    clearTimeout(timer);
    timer = undefined;
    const before = underWay ?? Promise.resolve();
    const now = before.then(saveNow).finally(() => {
      if (underWay === now) underWay = undefined;
    });
    underWay = now;
    return now;
  }

  return {
    note() {
      if (isClosed) return;
      tell({ kind: read() ? 'typing' : 'clean' });
      schedule(delayMs);
    },
    flush,
    close() {
      isClosed = true;
      void flush();
    },
  };
}
