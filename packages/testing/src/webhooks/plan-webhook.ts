import { randomBytes } from 'node:crypto';
import { WebhookEvent } from '@orders/schema';
import { checkFields, type FieldCheck, required, text } from '../service/faults/field-check.ts';
import type { WebhookContext } from './webhook-context.ts';
import type { WebhookSettings } from './webhook-options.ts';
import { encodePayload } from './webhook-payload.ts';

/** What an event says and where it goes; every option may be left out. */
export interface WebhookSendOptions {
  /** The order that it is about. @default the service's first order */
  readonly token?: string;
  /** The session that it is about. @default for `start_qr_session` one made at random, else none */
  readonly sessionId?: string;
  /** What else it is to say, as plain JSON values. @default {} */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Where it goes: an absolute http or https URL. @default the order's `hooks.webhook_url` */
  readonly url?: string;
  /** At most 255 characters. @default one made at random */
  readonly id?: string;
}

/** An event with everything that its attempts need. */
export interface WebhookPlan {
  readonly id: string;
  readonly event: string;
  readonly token: string;
  readonly url: URL;
  readonly body: string;
}

/** Decides what is sent, and where to; throws a `TypeError` that says what to write instead. */
export function planWebhook(
  event: string,
  options: WebhookSendOptions,
  { context, payload }: { readonly context: WebhookContext } & Pick<WebhookSettings, 'payload'>,
): WebhookPlan {
  checkFields('webhooks.send', { ...options, event }, OPTIONS);
  const {
    id = `evt_${randomBytes(12).toString('hex')}`,
    token = context.token,
    sessionId = event === 'start_qr_session' ? `qr_${randomBytes(12).toString('hex')}` : undefined,
    fields = {},
  } = options;
  const order = context.find(token);
  if (order === undefined) throw new TypeError('webhooks.send: no order has this token; see the orders.');
  const url = readUrl(options.url ?? order.data.hooks?.webhook_url);
  return { id, event, token, url, body: encodePayload(payload({ id, event, token, sessionId, fields })) };
}

function readUrl(given: unknown): URL {
  if (given === undefined) {
    throw new TypeError(
      'webhooks.send: the order has no hooks.webhook_url; send an update that sets it, or give a url.',
    );
  }
  const url = typeof given === 'string' && URL.canParse(given) ? new URL(given) : undefined;
  // The address itself is not repeated, since it may hold a password.
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new TypeError('webhooks.send: the url must be absolute and begin with http:// or https://.');
}

const name: FieldCheck = {
  wants: 'a string of 1 to 255 characters',
  passes: (value) => typeof value === 'string' && value !== '' && value.length <= 255,
};

const jsonObject: FieldCheck = {
  wants: 'a plain object of JSON values',
  passes: (value) => WebhookEvent.safeParse(value).success,
};

const OPTIONS = {
  event: required(name),
  token: text,
  sessionId: name,
  fields: jsonObject,
  url: text,
  id: name,
};
