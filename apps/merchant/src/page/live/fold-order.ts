import type { NumberedEvent } from '../../contract/desk-event.ts';
import type { OrderList, OrderSummary, OrderView } from '../../contract/order-view.ts';
import { awaitsDecision, type UpdateView } from '../../contract/update-view.ts';
import { newer, onItsWay } from './fold-update.ts';

/** How many events of an order the page keeps: more than its latest updates have. */
const keptEvents = 600;

/** Takes one event into an order. One that is known already, or that is another order's, changes nothing. */
export function foldOrder(order: OrderView, heard: NumberedEvent): OrderView {
  const { seq, at, event } = heard;
  if (event.token !== order.token) return order;
  const isKnown = order.events.some((known) => known.seq === seq);
  const events = isKnown
    ? order.events
    : [...order.events, { seq, at, event }].sort((one, other) => one.seq - other.seq).slice(-keptEvents);
  if (event.kind === 'qr_session') {
    const isNewest = !order.qrSession || Date.parse(at) > Date.parse(order.qrSession.at);
    return { ...order, events, ...(isNewest ? { qrSession: { id: event.sessionId, at } } : {}) };
  }
  // The server reads an order's updates before its events: an event may be known, and what it says of the update not.
  return { ...noteUpdate(order, updateAfter(order.updates, heard)), events };
}

/** Brings the parts of an order that was just fetched to the same moment. */
export function settleOrder(order: OrderView): OrderView {
  return order.events.reduce(foldOrder, order);
}

/** Takes what is known of one update into its order. */
export function noteUpdate(order: OrderView, update: UpdateView | undefined): OrderView {
  if (!update) return order;
  const isKnown = order.updates.some(({ id }) => id === update.id);
  const updates = isKnown
    ? order.updates.map((known) => (known.id === update.id ? newer(known, update) : known))
    : [update, ...order.updates].sort((one, other) => other.createdAt.localeCompare(one.createdAt));
  return { ...order, updates, lastUpdate: updates[0] ?? null };
}

/** Takes one event into the list of orders. */
export function foldOrders(list: OrderList, { event }: NumberedEvent): OrderList {
  if (event.kind === 'qr_session') return list;
  return {
    orders: list.orders.map((order) => (order.token === event.token ? foldSummary(order, event) : order)),
  };
}

function foldSummary(order: OrderSummary, event: NumberedEvent['event']): OrderSummary {
  const { lastUpdate } = order;
  const update = updateAfter(lastUpdate ? [lastUpdate] : [], { event });
  if (!update || (lastUpdate && lastUpdate.id !== update.id && lastUpdate.createdAt > update.createdAt)) {
    return order;
  }
  return { ...order, lastUpdate: lastUpdate?.id === update.id ? newer(lastUpdate, update) : update };
}

/** Takes one event into the list of updates that wait for a person. */
export function foldUndecided<List extends { readonly updates: readonly UpdateView[] }>(
  list: List,
  { event }: NumberedEvent,
): List {
  if (!('update' in event) || event.kind === 'update_queued') return list;
  const { update } = event;
  const known = list.updates.find(({ id }) => id === update.id);
  const now = known ? newer(known, update) : update;
  const others = list.updates.filter((one) => one !== known);
  if (!awaitsDecision(now)) return { ...list, updates: others };
  if (!known) return { ...list, updates: [...others, now] };
  return { ...list, updates: list.updates.map((one) => (one === known ? now : one)) };
}

/** The update of an event as it stands after it; undefined when the event tells of one that is not known. */
function updateAfter(
  known: readonly UpdateView[],
  { event }: Pick<NumberedEvent, 'event'>,
): UpdateView | undefined {
  if (event.kind === 'qr_session') return undefined;
  if ('update' in event) return event.update;
  const update = known.find(({ id }) => id === event.updateId);
  return update && onItsWay(update, event.round);
}
