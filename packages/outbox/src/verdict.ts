import type { UpdateState } from './update-status.ts';

/** What becomes of an update and of its lane after it was worked on. */
export interface Verdict {
  /** The state the update takes; `queued` sends it again later. */
  readonly state: Exclude<UpdateState, 'sending'>;
  /** Whether the lane stands still until a person decides. */
  readonly hold: boolean;
  /** How long the lane waits before its next update, in milliseconds. */
  readonly delayMs: number;
  /** How often in a row nothing could be sent in this lane. */
  readonly failures: number;
  readonly code?: string;
  readonly message?: string;
  readonly status?: number;
  readonly issues?: unknown;
  readonly receipt?: unknown;
  /** How long every lane waits, since the service asked for it, in milliseconds. */
  readonly pauseAllMs?: number;
}
