import type * as z from 'zod/mini';
import { checkOptions } from './check-options.ts';
import { jsonBody } from './json-body.ts';
import { openObject } from './zod-internals.ts';

/**
 * Checks a webhook call, which the service sends to `hooks.webhook_url`. Its payload is undocumented, so this is an
 * object with any fields; `createWebhookReader` reads those that you name.
 */
export const WebhookEvent: z.ZodMiniType<WebhookEvent, WebhookEvent> = /* @__PURE__ */ jsonBody<WebhookEvent>(
  /* @__PURE__ */ openObject({}),
);

/** A webhook call: an object with any fields. */
export interface WebhookEvent {
  readonly [field: string]: unknown;
}

/** Where the fields of your webhook calls are: a path such as `data.session_id`, or a list of names, which may have dots. */
export interface WebhookFields {
  /** The name of the event, for example `type`, `event.name` or `['event', 'name']`. */
  readonly eventName: string | readonly string[];
  /** The session identifier of `start_qr_session`. */
  readonly qrSessionId: string | readonly string[];
}

/** Reads webhook calls by the field names that you gave. */
export interface WebhookReader {
  /** Returns the name of the event, or `undefined` when it is no text, is empty, or the event is no object. */
  eventName(event: unknown): string | undefined;
  /**
   * Returns the session identifier that the update of a QR payment sends back, or `undefined` when the event is not
   * `start_qr_session` or has none.
   */
  qrSessionId(event: unknown): string | undefined;
}

/**
 * Creates a reader of webhook calls. The payload is undocumented, so you name the fields, and nothing is guessed.
 *
 * @throws TypeError when an option is unknown.
 */
export function createWebhookReader(fields: WebhookFields): WebhookReader {
  checkOptions('createWebhookReader', fields, ['eventName', 'qrSessionId']);
  const eventName = (event: unknown): string | undefined => stringAt(event, fields.eventName);
  return {
    eventName,
    qrSessionId: (event) =>
      eventName(event) === 'start_qr_session' ? stringAt(event, fields.qrSessionId) : undefined,
  };
}

function stringAt(event: unknown, path: string | readonly string[]): string | undefined {
  let value = event;
  for (const name of typeof path === 'string' ? path.split('.') : path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return typeof value === 'string' && value !== '' ? value : undefined;
}
