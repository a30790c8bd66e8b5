import { useQuery } from '@tanstack/react-query';
import * as z from 'zod/mini';
import { OrderList, OrderView, ScanReport } from '../../contract/order-view.ts';
import { PreparedView } from '../../contract/prepared-view.ts';
import { type Decision, UpdateView } from '../../contract/update-view.ts';
import { useDeskStream } from '../live/desk-stream-context.tsx';
import { fetchThenFold } from '../live/fetch-then-fold.ts';
import { foldOrder, foldOrders, foldUndecided, settleOrder } from '../live/fold-order.ts';
import { jsonRequest, requestJson } from './request.ts';

/** The answer of `GET /api/updates/undecided`. */
const UndecidedList = z.object({ updates: z.array(UpdateView) });

/** The answer of `GET /api/updates/:id`. */
const SentUpdate = z.object({ update: UpdateView, body: z.unknown() });

/** The orders of the desk, kept up to date by its events. */
export function useOrders() {
  const stream = useDeskStream();
  return useQuery({
    queryKey: ['orders'],
    queryFn: ({ signal }) =>
      fetchThenFold(stream, () => requestJson(OrderList, '/api/orders', { signal }), foldOrders),
  });
}

/** One order, kept up to date by the desk's events. */
export function useOrder(token: string) {
  const stream = useDeskStream();
  return useQuery({
    queryKey: ['order', token],
    queryFn: ({ signal }) =>
      fetchThenFold(
        stream,
        async () => settleOrder(await requestJson(OrderView, orderPath(token), { signal })),
        foldOrder,
      ),
  });
}

/** Every update that waits for a person, oldest first, kept up to date by the desk's events. */
export function useUndecided() {
  const stream = useDeskStream();
  return useQuery({
    queryKey: ['undecided'],
    queryFn: ({ signal }) =>
      fetchThenFold(
        stream,
        () => requestJson(UndecidedList, '/api/updates/undecided', { signal }),
        foldUndecided,
      ),
  });
}

/** What was sent with an update; it never changes. */
export function useSentBody(id: string) {
  return useQuery({
    queryKey: ['sent', id],
    queryFn: ({ signal }) => fetchUpdate(id, signal),
    select: ({ body }) => body,
  });
}

/** @throws {DeskProblem} With status 404 when the desk never accepted it. */
export function fetchUpdate(id: string, signal: AbortSignal): Promise<z.infer<typeof SentUpdate>> {
  return requestJson(SentUpdate, `/api/updates/${id}`, { signal });
}

/** Hands an update to the desk, which stores it before it sends it. The same id is accepted once. */
export function postUpdate(token: string, request: { readonly id: string; readonly update: unknown }) {
  return requestJson(UpdateView, `${orderPath(token)}/updates`, jsonRequest('POST', request));
}

/** Asks for the request that would be sent. */
export function prepareUpdate(token: string, update: unknown) {
  return requestJson(PreparedView, `${orderPath(token)}/prepare`, jsonRequest('POST', update));
}

/** Chooses for an update that waits for it, as it was seen. */
export function postDecision({ id, round }: Pick<UpdateView, 'id' | 'round'>, decision: Decision) {
  return requestJson(UpdateView, `/api/updates/${id}/decision`, jsonRequest('POST', { decision, round }));
}

/** Plays a buyer who scans the QR code of the order. */
export function postScan(token: string) {
  return requestJson(ScanReport, `${orderPath(token)}/scan`, jsonRequest('POST', {}));
}

function orderPath(token: string): string {
  return `/api/orders/${encodeURIComponent(token)}`;
}
