import type { ReceiptData } from '@orders/client';
import type { HeldReason, OutboxStatus, UpdateDetails, UpdateStatus } from '@orders/outbox';
import type { InboxEvent } from '@orders/outbox/inbox';
import type { Terminal } from '../terminal.ts';

type Draws = Pick<Terminal, 'style' | 'table'>;

/** The status of an outbox at a moment. */
export interface StatusReport {
  readonly at: Date;
  readonly place: string;
  readonly status: OutboxStatus;
  /** How many events of an inbox wait. */
  readonly events: { readonly queued: number; readonly needsReview: number };
  /** Why this may not be current, or will not change. */
  readonly note?: string;
}

/** Reasons that each update has by itself, so that its code and message say more. */
const reasonsOfOne = new Set<HeldReason>(['backing_off', 'locked_by_caller', 'claim_expired', 'stalled']);

/** Draws a status. `lineOf` writes the command line of another command on the outbox. */
export async function drawStatus(
  { at, place, status, events, note }: StatusReport,
  lineOf: (command: string) => string,
  terminal: Draws,
): Promise<readonly string[]> {
  const { updates, orders, held, pausedUntil, service, workers } = status;
  const age = (date: Date): string => formatAge(Math.abs(at.getTime() - date.getTime()));
  const width = Math.max(6, service.state.length);
  const row = (name: string, count: number, what = ''): readonly string[] => [
    name,
    String(count).padStart(width),
    what,
  ];
  const waiting = (name: string, count: number): readonly string[] =>
    count > 0
      ? [name, terminal.style('yellow', String(count).padStart(width)), 'wait for a decision']
      : row(name, count);
  const { oldestQueuedAt: oldest } = updates;
  const isOk = service.state === 'ok';
  const single = held.find(({ reason }) => reasonsOfOne.has(reason));
  return [
    `The outbox in ${place}, ${formatDate(at)} UTC`,
    ...(await terminal.table([
      row('updates queued', updates.queued, oldest && `oldest ${age(oldest)} ago`),
      row('updates sending', updates.sending),
      waiting('updates needing review', updates.needsReview),
      waiting('updates rejected', updates.rejected),
      row('orders waiting', orders.waiting),
      row('orders active', orders.active),
      row('orders behind a decision', orders.held),
      ...(events.queued > 0 ? [row('events queued', events.queued, 'for a handler of the inbox')] : []),
      ...(events.needsReview > 0 ? [waiting('events needing review', events.needsReview)] : []),
      row('workers', workers.length),
      [
        'service',
        terminal.style(isOk ? 'green' : 'red', service.state.padStart(width)),
        service.since ? `for ${age(service.since)}` : '',
      ],
    ])),
    ...(await terminal.table(
      [
        ...held.map((each) => `${each.updates} held: ${each.reason}. ${each.message}`),
        ...(service.message === undefined ? [] : [`The service: ${service.message}`]),
        ...(service.nextProbeAt ? [`It is probed next in ${age(service.nextProbeAt)}.`] : []),
        ...(pausedUntil ? [`Paused for ${age(pausedUntil)} after a 429.`] : []),
        ...workers.flatMap(({ id, problem }) => (problem === undefined ? [] : [`Worker ${id}: ${problem}`])),
        ...(note === undefined ? [] : [note]),
      ].map((line) => [line]),
    )),
    ...(single ? [`To see the first of them: ${lineOf(`show ${single.id}`)}`] : []),
    ...(pausedUntil ? [`To end the pause: ${lineOf('resume')}`] : []),
    ...(updates.needsReview + updates.rejected + events.needsReview > 0
      ? [`To decide: ${lineOf('list')}`]
      : []),
  ];
}

/** What is needed to decide about an update; all that is known of it, where its body is shown. */
export async function drawUpdate(
  update: UpdateDetails,
  { now, isWhole = false }: { readonly now: Date; readonly isWhole?: boolean },
  terminal: Draws,
): Promise<readonly string[]> {
  const { id, token, state, settledAt, code, status, message, issues = [] } = update;
  const { attempts, createdAt, sendingAt, heldBy, decision, receipt, update: body } = update;
  const since = settledAt ? `, ${formatAge(now.getTime() - settledAt.getTime())} ago` : '';
  const earlier = state === 'sending' || state === 'queued' ? ', of the last attempt' : '';
  const facts: (readonly string[])[] = [['', 'order', token]];
  if (code !== undefined) facts.push(['', 'code', `${code} ${status ?? ''}`.trim() + earlier]);
  if (message !== undefined) facts.push(['', 'message', message]);
  if (heldBy) facts.push(['', 'waits', `${heldBy.reason}: ${heldBy.message}`]);
  for (const { path, message: text, hint } of issues)
    facts.push([
      '',
      'issue',
      `${path === '' ? '' : `${path}: `}${text}${hint === undefined ? '' : ` (${hint})`}`,
    ]);
  if (isWhole) {
    facts.push(['', 'accepted', `${formatDate(createdAt)} UTC`]);
    if (sendingAt)
      facts.push([
        '',
        'sent last',
        `${formatDate(sendingAt)} UTC, ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`,
      ]);
    if (decision) {
      const { at, by, note } = decision;
      const who = `${by ? ` by ${by}` : ''}${note ? `: ${note}` : ''}`;
      facts.push(['', 'decided', `${formatDate(at)} UTC${who}`]);
    }
    if (receipt && state !== 'sending') facts.push(...drawReceipt(receipt));
    facts.push(['', 'body', body === undefined ? 'deleted, since nothing is left to send' : '']);
  }
  return [
    `${id}  ${terminal.style(colours[state] ?? 'reset', state)}${since}`,
    ...(await terminal.table(facts)),
    ...(isWhole && body !== undefined ? drawJson(body) : []),
  ];
}

/** An event, with the names of its fields, where it is shown whole. */
export async function drawEvent(
  { id, token, state, receivedAt, failures, message, payload }: InboxEvent,
  { isWhole = false }: { readonly isWhole?: boolean },
  terminal: Draws,
): Promise<readonly string[]> {
  const facts: (readonly string[])[] = [
    ['', 'order', token],
    [
      '',
      'received',
      `${formatDate(receivedAt)} UTC, failed ${failures} ${failures === 1 ? 'time' : 'times'}`,
    ],
  ];
  if (message !== undefined) facts.push(['', 'message', message]);
  if (isWhole && payload === undefined) facts.push(['', 'payload', 'deleted, since nothing is left to do']);
  return [
    `${id}  event, ${terminal.style(colours[state] ?? 'reset', state)}`,
    ...(await terminal.table(facts)),
    ...(isWhole && payload !== undefined ? drawJson(payload) : []),
  ];
}

function drawJson(value: unknown): readonly string[] {
  return JSON.stringify(value, null, 2)
    .split('\n')
    .map((line) => `    ${line}`);
}

const colours: Readonly<Partial<Record<string, 'green' | 'red' | 'yellow'>>> = {
  applied: 'green',
  rejected: 'red',
  needs_review: 'yellow',
};

function drawReceipt(receipt: ReceiptData): readonly (readonly string[])[] {
  const { operation, host, bodyBytes, attempts } = receipt;
  return [
    ['', 'receipt', `${operation} to ${host}, ${bodyBytes} bytes`],
    ...attempts.map(({ startedAfterMs, durationMs, status, error, requestId, outcome }, index) => {
      const facts = [status, error, requestId && `request ${requestId}`].filter(Boolean).join(', ');
      const times = `after ${Math.round(startedAfterMs)} ms, took ${Math.round(durationMs)} ms`;
      return ['', `attempt ${index + 1}`, `${outcome}${facts && ` (${facts})`}, ${times}`];
    }),
  ];
}

/** Updates and events of an order, newest first. */
export async function drawHistory(
  items: readonly (UpdateStatus | InboxEvent)[],
  now: Date,
  terminal: Draws,
): Promise<readonly string[]> {
  if (items.length === 0) return ['The outbox does not know an update of this order, or no longer.'];
  return terminal.table([
    ['update', 'state', 'accepted', ''],
    ...items.map((item) => [
      item.id,
      terminal.style(colours[item.state] ?? 'reset', item.state),
      `${formatAge(now.getTime() - acceptedAt(item).getTime())} ago`,
      'receivedAt' in item ? 'event of the inbox' : `${item.code ?? ''} ${item.status ?? ''}`.trim(),
    ]),
  ]);
}

/** When an update or an event was stored. */
export function acceptedAt(item: UpdateStatus | InboxEvent): Date {
  return 'receivedAt' in item ? item.receivedAt : item.createdAt;
}

function formatDate(date: Date): string {
  return date.toISOString().slice(0, 19).replace('T', ' ');
}

/** A duration in its largest unit, rounded down. */
function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} days`;
}

/** What is shown of a value: all of it, of a URL its host, or these fields, also of each item of a list. */
type Shown = 'all' | 'host' | { readonly [field: string]: Shown };

const all = (...names: readonly string[]): Record<string, Shown> =>
  Object.fromEntries(names.map((name) => [name, 'all']));

const shownOfUpdate: Shown = {
  ...all('order_id', 'purchase_currency', 'require_shipping', 'express_shipping', 'shipping_address'),
  ...all('user_identifier'),
  cart: { items: all('type', 'sku', 'name', 'quantity', 'unit_price', 'discount_rate', 'vat_amount') },
  hooks: {
    user_return_url_on_success: 'host',
    user_return_url_on_fail: 'host',
    terms_url: 'host',
    webhook_url: 'host',
  },
};

/** A body without what may be a secret: sessions, what URLs hold besides their host, and undocumented fields. */
export function hideSecrets(value: unknown, shown: Shown = shownOfUpdate): unknown {
  if (shown === 'all') return value;
  if (shown === 'host' && typeof value === 'string' && URL.canParse(value)) {
    const { protocol, host } = new URL(value);
    return `${protocol}//${host}/…`;
  }
  if (shown === 'host' || typeof value !== 'object' || value === null) return '[hidden]';
  if (Array.isArray(value)) return value.map((item) => hideSecrets(item, shown));
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      const known = Object.hasOwn(shown, name) ? shown[name] : undefined;
      return [name, known === undefined ? '[hidden]' : hideSecrets(field, known)];
    }),
  );
}
