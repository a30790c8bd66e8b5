import * as z from 'zod/mini';
import { Outcome } from './update-report.ts';

/** What ails the order service; each is a fault, or a few, of `@orders/testing`. */
export const Trouble = z.enum([
  'none',
  /** Each answer is held back. */
  'slow',
  /** 429 with Retry-After: the client pauses all updates, then retries. */
  'busy',
  /** 503: the outcome is unknown. */
  'failing',
  /** The update is applied, and the connection is reset before an answer. */
  'reset_after_applying',
  /** Nobody can connect: nothing is sent. It holds for every request, whatever the share. */
  'down',
]);
export type Trouble = z.infer<typeof Trouble>;

/** How the switchboard is set: the body of `PUT /api/switchboard`. */
export const SwitchboardSetting = z.object({
  trouble: Trouble,
  /** How many requests of a hundred meet it, from 1 to 100. */
  percent: z.int().check(z.gte(1), z.lte(100)),
});
export type SwitchboardSetting = z.infer<typeof SwitchboardSetting>;

/** The answer of `GET /api/switchboard` and of `PUT /api/switchboard`. */
export const SwitchboardView = z.object({
  /** False when the order service is not the desk's own: then nothing can be set. */
  available: z.boolean(),
  setting: SwitchboardSetting,
});
export type SwitchboardView = z.infer<typeof SwitchboardView>;

/** The body of `POST /api/switchboard/burst`: this many updates to each of this many orders, to watch the lanes. Answer: 202. */
export const BurstRequest = z.object({
  orders: z.int().check(z.gte(1), z.lte(8)),
  updates: z.int().check(z.gte(1), z.lte(20)),
});
export type BurstRequest = z.infer<typeof BurstRequest>;

/** The answer of `POST /api/switchboard/burst`: the updates that were accepted, in the order of their acceptance. */
export const BurstAnswer = z.object({ ids: z.array(z.uuid()) });
export type BurstAnswer = z.infer<typeof BurstAnswer>;

/** One attempt, as the chart shows it. */
export const MeasuredAttempt = z.object({
  at: z.string(),
  token: z.string(),
  durationMs: z.number(),
  outcome: Outcome,
  status: z.exactOptional(z.number()),
});
export type MeasuredAttempt = z.infer<typeof MeasuredAttempt>;

/** The answer of `GET /api/switchboard/attempts?minutes=5`: oldest first. */
export const MeasuredAttempts = z.object({ attempts: z.array(MeasuredAttempt) });
export type MeasuredAttempts = z.infer<typeof MeasuredAttempts>;
