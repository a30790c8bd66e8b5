import type * as z from 'zod/mini';
import { bodySchema } from './body-schema.ts';
import { openObject } from './model-types.ts';

/**
 * A webhook call that the service sends to `hooks.webhook_url`. Its payload is not shown, so this is
 * an object with any fields; `createWebhookReader` takes their names from you.
 */
export const WebhookEvent: z.ZodMiniType<WebhookEvent, WebhookEvent> =
  /* @__PURE__ */ bodySchema<WebhookEvent>(/* @__PURE__ */ openObject({}));

/** A webhook call: an object with any fields. */
export interface WebhookEvent {
  readonly [field: string]: unknown;
}

/** Where the fields of your webhook calls are: a name, or a list of names that leads inside. */
export interface WebhookFields {
  /** Where the name of the event is, for example `type` or `['event', 'name']`. */
  readonly eventName: string | readonly string[];
  /** Where the session identifier of `start_qr_session` is. */
  readonly qrSessionId: string | readonly string[];
}

/** Reads webhook calls by the field names you gave. */
export interface WebhookReader {
  /** The name of the event; `undefined` when it is no string. */
  eventName(event: WebhookEvent): string | undefined;
  /**
   * The session identifier to send back in the update body of a QR payment (interface document,
   * Events); `undefined` when the event is not `start_qr_session` or carries none.
   */
  qrSessionId(event: WebhookEvent): string | undefined;
}

/** Makes a reader of webhook calls. The payload is not shown: you name the fields, nothing is guessed. */
export function createWebhookReader(fields: WebhookFields): WebhookReader {
  const eventName = (event: WebhookEvent): string | undefined => stringAt(event, fields.eventName);
  return {
    eventName,
    qrSessionId: (event) =>
      eventName(event) === 'start_qr_session' ? stringAt(event, fields.qrSessionId) : undefined,
  };
}

function stringAt(event: WebhookEvent, names: string | readonly string[]): string | undefined {
  let value: unknown = event;
  for (const name of [names].flat()) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return typeof value === 'string' && value !== '' ? value : undefined;
}
