import { answerJson } from '../service/answer.ts';
import { checkFields, type FieldCheck, isRecord, required, text } from '../service/faults/field-check.ts';
import type { WebhookSendOptions } from '../webhooks/plan-webhook.ts';
import { answerPage } from './answer-page.ts';
import { ControlRefusal, refuseMisuse } from './control-error.ts';
import type { ControlRoute } from './control-route.ts';

export const WEBHOOK_ROUTES: readonly ControlRoute[] = [
  {
    method: 'GET',
    path: '/webhooks',
    does: 'shows the last 1,000 events sent; ?after=<number> those that follow',
    query: ['after'],
    answer: ({ sources: { webhooks }, query: { after } }) => answerPage({ entries: webhooks.sent, after }),
  },
  {
    method: 'POST',
    path: '/webhooks',
    does: 'sends {"event":"start_qr_session"} (token, session_id, fields, url and id may be added) and answers once it is delivered or given up',
    async answer({ sources: { webhooks }, body }) {
      const delivery = await refuseMisuse('webhook_refused', () => {
        const { event, ...options } = readEvent(body);
        return webhooks.send(event, options);
      });
      return answerJson(200, delivery);
    },
  },
  {
    method: 'POST',
    path: '/webhooks/<id>/replay',
    does: 'sends the same bytes again and answers once they are delivered or given up',
    isBodiless: true,
    async answer({ sources: { webhooks }, id, body = {} }) {
      if (!webhooks.sent.some((delivery) => delivery.id === id)) throw refuseUnknown();
      const delivery = await refuseMisuse('webhook_refused', () => {
        checkFields('replay', readObject(body), {});
        return webhooks.replay(id);
      });
      return answerJson(200, delivery);
    },
  },
];

const record: FieldCheck = { wants: 'an object', passes: isRecord };

const EVENT = { event: required(text), token: text, session_id: text, fields: record, url: text, id: text };

/** The body's fields, in the words of JSON. */
interface EventBody extends Omit<WebhookSendOptions, 'sessionId'> {
  readonly event: string;
  readonly session_id?: string;
}

function readEvent(body: unknown): { readonly event: string } & WebhookSendOptions {
  const fields = readObject(body);
  checkFields('webhook', fields, EVENT);
  // Each of its fields has just been checked.
  const { session_id, ...event } = fields as Readonly<Record<string, unknown>> as unknown as EventBody;
  return session_id === undefined ? event : { ...event, sessionId: session_id };
}

function readObject(body: unknown): Readonly<Record<string, unknown>> {
  if (isRecord(body)) return body;
  throw new TypeError('The body is not an object.');
}

function refuseUnknown(): ControlRefusal {
  const message = 'No event of this id was sent; GET /webhooks lists those that were.';
  return new ControlRefusal(404, { code: 'webhook_not_found', message });
}
