import { checkFields, type FieldCheck, flag, headers, whole } from '../service/faults/field-check.ts';
import { buildPayload, type WebhookContent } from './webhook-payload.ts';

/** How the service sends webhook calls; every option may be left out. */
export interface WebhookOptions {
  /**
   * Makes the body, a plain object of JSON, for a receiver that reads other names: the document shows no payload
   * (interface document, Events).
   *
   * @default `{ id, event, order_token, session_id, ...fields }`
   */
  readonly payload?: (content: WebhookContent) => object;
  /** How often an event is tried in all, from 1 to 100. @default 3 */
  readonly maxAttempts?: number;
  /** How long to wait before the second attempt, in milliseconds; doubled for each attempt after. @default 250 */
  readonly retryDelayMs?: number;
  /** How long one attempt may take from resolving the name to the end of the answer, in milliseconds. @default 5_000 */
  readonly timeoutMs?: number;
  /** Headers beside `content-type: application/json`, such as a shared secret; never shown. @default none */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether a call may leave this machine. @default false */
  readonly anyAddress?: boolean;
}

export type WebhookSettings = Required<WebhookOptions>;

/** Throws a `TypeError` that says what to write instead and shows no header's value. */
export function readWebhookOptions(options: WebhookOptions): WebhookSettings {
  checkFields('webhooks', { ...options }, OPTIONS);
  const given = Object.entries(options.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  const taken = given.find(([name = '']) => OWN_HEADERS.includes(name));
  if (taken !== undefined) {
    throw new TypeError(`webhooks: headers may not hold ${taken[0]}, which belongs to the connection.`);
  }
  return {
    payload: options.payload ?? buildPayload,
    maxAttempts: options.maxAttempts ?? 3,
    retryDelayMs: options.retryDelayMs ?? 250,
    timeoutMs: options.timeoutMs ?? 5_000,
    headers: { 'content-type': 'application/json', ...Object.fromEntries(given) },
    anyAddress: options.anyAddress ?? false,
  };
}

const functionCheck: FieldCheck = {
  wants: 'a function that makes an object',
  passes: (value) => typeof value === 'function',
};

const OPTIONS = {
  payload: functionCheck,
  maxAttempts: whole(1, 100),
  retryDelayMs: whole(0, 3_600_000),
  timeoutMs: whole(1, 3_600_000),
  headers,
  anyAddress: flag,
};

const OWN_HEADERS: readonly string[] = [
  'connection',
  'content-length',
  'expect',
  'host',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];
