/** What a command prints to. */
export interface Screen {
  /** Whether a person looks at it. */
  readonly isTerminal: boolean;
  /** Prints whole lines. */
  print(text: string): void;
  /** Tells of something that went wrong, in one line. */
  complain(message: string): void;
  /** Colours a text, where a person looks at it who wants colours. */
  readonly paint: Paint;
}

/** Colours a text for a reason. */
export type Paint = (text: string, reason: 'alarm' | 'care' | 'fine' | 'dim') => string;

/** Data as JSON for programs: one line for each value. */
export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
