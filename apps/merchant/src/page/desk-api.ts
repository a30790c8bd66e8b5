import type { OrderUpdate } from '@orders/schema';
import { type KnownOrder, KnownOrderList } from '../contract/known-order.ts';
import { UpdateReport } from '../contract/update-report.ts';
import { words } from './words.ts';

/** Asks the desk's server for the orders. Rejects when it does not answer as it should. */
export async function fetchOrders(signal: AbortSignal): Promise<readonly KnownOrder[]> {
  const answer = await fetch('/api/orders', { signal, headers: { accept: 'application/json' } });
  return KnownOrderList.parse(await answer.json()).orders;
}

/** Has the desk's server send an update. Never rejects: whatever happens is told as a report. */
export async function sendUpdate(token: string, update: OrderUpdate): Promise<UpdateReport> {
  try {
    const answer = await fetch(`/api/orders/${encodeURIComponent(token)}/update`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(update),
    });
    const body: unknown = await answer.json();
    const report = UpdateReport.safeParse(body);
    if (report.success) return report.data;
    // A refusal of the desk itself comes before anything is sent; a failure may come after.
    const isRefused = answer.status >= 400 && answer.status < 500;
    return reportTrouble(isRefused ? 'not_sent' : 'unknown', readMessage(body));
  } catch {
    return reportTrouble('unknown', words.deskUnreachable);
  }
}

function reportTrouble(outcome: UpdateReport['outcome'], message: string): UpdateReport {
  return {
    ok: false,
    outcome,
    attempts: 0,
    at: new Date().toISOString(),
    error: { code: 'desk_failed', message },
  };
}

function readMessage(body: unknown): string {
  const { error } = Object(body);
  return typeof error?.message === 'string' ? error.message : words.deskUnreachable;
}
