/** What became of an update in this process, as `onSettled` is told. */
export interface SettledUpdate {
  readonly id: string;
  readonly token: string;
  /** `queued` when it will be sent again. */
  readonly state: 'applied' | 'rejected' | 'parked' | 'discarded' | 'queued';
  /** The client's code of what went wrong, or `left_behind`. */
  readonly code?: string;
  /** The HTTP status of the answer, if there was one. */
  readonly status?: number;
  /** Since it was accepted, in milliseconds. */
  readonly ageMs: number;
}
