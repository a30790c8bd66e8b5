import type { Screen } from '../../src/bin/screen.ts';

/** A screen that keeps what is written to it, without colours. */
export interface WrittenScreen extends Screen {
  readonly printed: string[];
  readonly complaints: string[];
}

export function writtenScreen(isTerminal = false): WrittenScreen {
  const printed: string[] = [];
  const complaints: string[] = [];
  return {
    isTerminal,
    printed,
    complaints,
    print: (text) => void printed.push(text),
    complain: (message) => void complaints.push(message),
    paint: (text) => text,
  };
}
