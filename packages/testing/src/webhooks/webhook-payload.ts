import { explain, WebhookEvent } from '@orders/schema';

/** What an event says, before it has the form of a body. */
export interface WebhookContent {
  readonly id: string;
  /** The event's name, such as `start_qr_session`. */
  readonly event: string;
  /** The order's. */
  readonly token: string;
  /** Always there for `start_qr_session`, which carries one (interface document, Events). */
  readonly sessionId: string | undefined;
  /** What else the event is to say. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The service's own form, since the document shows none (interface document, Events). */
export function buildPayload({ id, event, token, sessionId, fields }: WebhookContent): object {
  return {
    id,
    event,
    order_token: token,
    ...(sessionId === undefined ? {} : { session_id: sessionId }),
    ...fields,
  };
}

/** Throws a `TypeError` that says where a payload is not a plain object of JSON. */
export function encodePayload(payload: unknown): string {
  const parsed = WebhookEvent.safeParse(payload);
  if (parsed.success) return JSON.stringify(parsed.data);
  const [issue] = explain(parsed.error);
  const place = issue?.path ? `payload: ${issue.path}` : 'payload';
  throw new TypeError([`${place}: ${issue?.message}.`, issue?.hint].join(' ').trim());
}
