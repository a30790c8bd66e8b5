/** What came back, as far as it was read. */
export interface Answer {
  readonly status: number;
  readonly mediaType: string | undefined;
  readonly location: string | undefined;
  readonly text: string;
  /** Whether `text` is the whole body. */
  readonly isWhole: boolean;
}
