import type { ReceiptData } from '@orders/client';
import type { OutboxStatus, UpdateDetails, UpdateStatus } from '../index.ts';

/** A value as JSON in one line, without characters that would control a terminal. */
export function toJson(value: unknown): string {
  return JSON.stringify(value).replace(
    control,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A text that cannot control a terminal: it may come from another machine. */
export function stripControlChars(text: string): string {
  return text.replace(control, ' ');
}

const control = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** The status of an outbox at a moment. */
export interface StatusReport {
  readonly at: Date;
  readonly place: string;
  readonly status: OutboxStatus;
  /** Why this may not be current, or will not change. */
  readonly note?: string;
}

export function drawStatus({ at, place, status, note }: StatusReport): readonly string[] {
  const { updates, orders, pausedUntil, service, workers } = status;
  const age = (date: Date): string => formatDuration(Math.abs(at.getTime() - date.getTime()));
  const decide = (count: number): string => (count > 0 ? 'decide: orders-outbox list' : '');
  const rows = [
    [
      'updates queued',
      updates.queued,
      updates.oldestQueuedAt ? `oldest ${age(updates.oldestQueuedAt)} ago` : '',
    ],
    ['updates sending', updates.sending, ''],
    ['updates needing review', updates.needsReview, decide(updates.needsReview)],
    ['updates rejected', updates.rejected, decide(updates.rejected)],
    ['orders waiting', orders.waiting, ''],
    ['orders active', orders.active, ''],
    ['orders held', orders.held, orders.held > 0 ? 'by an update that waits for a decision' : ''],
    ['workers', workers.length, ''],
    ['service', service.state, service.since ? `for ${age(service.since)}` : ''],
  ];
  return [
    `The outbox in ${place}, ${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`,
    ...alignColumns(rows),
    ...(service.message === undefined ? [] : [`The service: ${service.message}`]),
    ...(service.nextProbeAt ? [`It is probed next in ${age(service.nextProbeAt)}.`] : []),
    ...(pausedUntil ? [`Paused for ${age(pausedUntil)} after a 429; "orders-outbox resume" ends it.`] : []),
    ...workers.flatMap(({ id, problem }) =>
      problem === undefined ? [] : [`Worker ${id} sends nothing: ${problem}`],
    ),
    ...(note === undefined ? [] : [note]),
  ];
}

/** What is needed to decide about an update. */
export function drawUpdate(update: UpdateStatus, now: Date): readonly string[] {
  const { id, token, state, settledAt, code, status, message, issues = [] } = update;
  const since = settledAt
    ? ` since ${settledAt.toISOString()} (${formatDuration(now.getTime() - settledAt.getTime())})`
    : '';
  const earlier = state === 'sending' || state === 'queued' ? ', of the last attempt' : '';
  return [
    `${id} ${state}${since}`,
    `  order     ${token}`,
    ...(code === undefined ? [] : [`  code      ${`${code} ${status ?? ''}`.trim()}${earlier}`]),
    ...(message === undefined ? [] : [`  message   ${message}`]),
    ...issues.map(({ path, message: text, hint }) => {
      const at = path === '' ? '' : `${path}: `;
      return `  issue     ${at}${text}${hint === undefined ? '' : ` (${hint})`}`;
    }),
  ];
}

/** All that is known of an update. */
export function drawDetails(update: UpdateDetails, now: Date): readonly string[] {
  const { attempts, createdAt, sendingAt, state, decision, receipt, update: body } = update;
  return [
    ...drawUpdate(update, now),
    `  accepted  ${createdAt.toISOString()}`,
    ...(sendingAt
      ? [`  sent last ${sendingAt.toISOString()}, ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`]
      : []),
    ...(decision
      ? [
          `  decided   ${decision.at.toISOString()}${decision.by ? ` by ${decision.by}` : ''}${decision.note ? `: ${decision.note}` : ''}`,
        ]
      : []),
    ...(receipt && state !== 'sending' ? drawReceipt(receipt) : []),
    ...(body === undefined
      ? []
      : [
          '  body',
          ...JSON.stringify(body, null, 2)
            .split('\n')
            .map((line) => `    ${line}`),
        ]),
  ];
}

function drawReceipt({ id, operation, host, calledAt, bodyBytes, attempts }: ReceiptData): readonly string[] {
  return [
    `  receipt   ${id}: ${operation} to ${host} at ${calledAt}, ${bodyBytes} bytes`,
    ...attempts.map(({ startedAfterMs, durationMs, status, error, requestId, outcome }, index) => {
      const facts = [status, error, requestId && `request ${requestId}`].filter(Boolean).join(', ');
      const times = `after ${Math.round(startedAfterMs)} ms, took ${Math.round(durationMs)} ms`;
      return `    attempt ${index + 1} ${times}: ${outcome}${facts && ` (${facts})`}`;
    }),
  ];
}

export function drawHistory(updates: readonly UpdateStatus[]): readonly string[] {
  if (updates.length === 0) return ['The outbox does not know an update of this order, or no longer.'];
  return alignColumns([
    ['update', 'state', 'accepted', 'attempts', 'code, status'],
    ...updates.map(({ id, state, createdAt, attempts, code = '', status = '' }) => [
      id,
      state,
      createdAt.toISOString(),
      attempts,
      `${code} ${status}`.trim(),
    ]),
  ]);
}

/** Rows as lines of columns two spaces apart; numbers are aligned to the right. */
function alignColumns(rows: readonly (readonly (string | number)[])[]): readonly string[] {
  const widths =
    rows[0]?.map((_, column) => Math.max(...rows.map((row) => String(row[column]).length))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return typeof cell === 'number' ? String(cell).padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd(),
  );
}

/** A duration in its largest unit, rounded down. */
function formatDuration(ms: number): string {
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
