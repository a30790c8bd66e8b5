import type { Terminal } from '../../src/bin/commands.ts';

/** A terminal that keeps what is written to it. */
export interface KeptTerminal extends Terminal {
  readonly lines: string[];
  readonly errors: string[];
  /** Ends a command that runs until its reader leaves. */
  end(): void;
}

export function keepTerminal(confirm?: Terminal['confirm']): KeptTerminal {
  const lines: string[] = [];
  const errors: string[] = [];
  const ending = new AbortController();
  return {
    lines,
    errors,
    print: (...more) => void lines.push(...more),
    writeError: (message) => void errors.push(message),
    clear: () => void lines.splice(0),
    confirm,
    ending: ending.signal,
    end: () => ending.abort(),
  };
}
