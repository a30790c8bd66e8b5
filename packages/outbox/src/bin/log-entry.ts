import { plainly } from './plainly.ts';

/** One thing that `work` tells. */
export type LogEntry =
  | { readonly event: 'working'; readonly place: string; readonly to: string; readonly observe?: string }
  | { readonly event: 'warning'; readonly message: string }
  | {
      readonly event: 'parked' | 'rejected';
      readonly id: string;
      readonly order: string;
      readonly code: string;
      readonly status?: number;
    }
  | { readonly event: 'stopping'; readonly signal: string; readonly graceSeconds: number }
  | ({ readonly event: 'stopped' } & Totals);

/** How often updates came to each state in a process. */
export interface Totals {
  readonly applied: number;
  readonly rejected: number;
  readonly parked: number;
  readonly discarded: number;
  /** Times one was put back to be sent again. */
  readonly queued: number;
}

/** An entry as one line, for a person or as JSON. */
export function formatLogEntry(entry: LogEntry, at: Date, asJson: boolean): string {
  const time = at.toISOString();
  if (!asJson) return `${time} ${plainly(tell(entry))}\n`;
  const level = ['warning', 'parked', 'rejected'].includes(entry.event) ? 'warn' : 'info';
  return `${JSON.stringify({ time, level, ...entry })}\n`;
}

function tell(entry: LogEntry): string {
  switch (entry.event) {
    case 'working': {
      const { place, to, observe } = entry;
      return `working on ${place}, sending to ${to}${observe === undefined ? '' : `, metrics at ${observe}/metrics`}`;
    }
    case 'warning':
      return `warning: ${entry.message}`;
    case 'parked':
    case 'rejected':
      return `${entry.event}: ${entry.id} of order ${entry.order}, ${`${entry.code} ${entry.status ?? ''}`.trim()}`;
    case 'stopping':
      return `stopping on ${entry.signal}: what is on its way has ${entry.graceSeconds} s`;
    case 'stopped': {
      const { applied, rejected, parked, discarded, queued } = entry;
      return `stopped: ${applied} applied, ${rejected} rejected, ${parked} parked, ${discarded} discarded, ${queued} put back to be sent again`;
    }
  }
}
