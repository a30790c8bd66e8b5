import { lookup as lookupName } from 'node:dns';
import { freezeDeep } from '../service/freeze-deep.ts';
import { type DeliveryContext, deliverWebhook, isDelivered } from './deliver-webhook.ts';
import { createLoopbackLookup, NotLoopbackError, refuseOtherAddress } from './loopback-address.ts';
import { planWebhook, type WebhookPlan, type WebhookSendOptions } from './plan-webhook.ts';
import type { WebhookContext } from './webhook-context.ts';
import type { WebhookDelivery } from './webhook-delivery.ts';
import { readWebhookOptions, type WebhookOptions } from './webhook-options.ts';

/**
 * The webhook calls of an order service.
 *
 * None is sent by itself: the document does not show which operation emits which event (interface document, Events), so
 * a test or a person tells the service to send one.
 */
export interface Webhooks {
  /** Every event that was handed over or given up, in the order in which that was known; grows as the service runs. */
  readonly sent: readonly WebhookDelivery[];
  /**
   * Sends an event, such as `start_qr_session`, and resolves once it is handed over or given up: whatever the receiver
   * does ends in `attempts`, never in a rejection.
   *
   * Any 2xx hands it over; anything else is tried again with the same bytes. A redirect is not followed.
   *
   * @throws {TypeError} When the event cannot be sent: an unknown token, an order without a `webhook_url`, an address
   * outside this machine unless `anyAddress` allows it, a payload that is not JSON, an id that was used before.
   */
  send(event: string, options?: WebhookSendOptions): Promise<WebhookDelivery>;
  /**
   * Sends exactly the bytes of an earlier event again, to the same address.
   *
   * @throws {TypeError} When no event of this id was sent.
   */
  replay(id: string): Promise<WebhookDelivery>;
  /** Forgets every event that was sent; what is under way goes on. */
  clear(): void;
}

/** Makes the sender of a service's webhook calls; throws a `TypeError` when an option cannot be used. */
export function createWebhooks(context: WebhookContext, options: WebhookOptions = {}): Webhooks {
  const settings = readWebhookOptions(options);
  const { signal, historyLimit = Number.POSITIVE_INFINITY, lookup = lookupName } = context;
  const delivery: DeliveryContext = {
    settings,
    lookup: settings.anyAddress ? lookup : createLoopbackLookup(lookup),
    now: () => context.now(),
    signal,
  };
  const plans = new Map<string, WebhookPlan>();
  const sent: WebhookDelivery[] = [];

  // A replay needs its plan for as long as it is shown.
  const forget = (oldest: WebhookDelivery | undefined) => {
    const isSentAgain = sent.some(({ id }) => id === oldest?.id);
    if (oldest !== undefined && !isSentAgain) plans.delete(oldest.id);
  };

  const deliver = async ({ url, ...plan }: WebhookPlan): Promise<WebhookDelivery> => {
    const attempts = await deliverWebhook(url, plan.body, delivery);
    if (attempts[0]?.error === 'address_refused') throw new NotLoopbackError(url.hostname);
    const delivered = attempts.some(isDelivered);
    const ended = freezeDeep<WebhookDelivery>({ ...plan, url: showUrl(url), attempts, delivered });
    sent.push(ended);
    if (sent.length > historyLimit) forget(sent.shift());
    return ended;
  };

  return {
    sent,
    async send(event, sendOptions = {}) {
      const plan = planWebhook(event, sendOptions, { context, payload: settings.payload });
      if (!settings.anyAddress) refuseOtherAddress(plan.url.hostname);
      if (plans.has(plan.id)) {
        throw new TypeError(`The id ${JSON.stringify(plan.id)} was used before; replay(id) sends it again.`);
      }
      plans.set(plan.id, plan);
      try {
        return await deliver(plan);
      } catch (error) {
        // Nothing was sent, so there is nothing to replay.
        plans.delete(plan.id);
        throw error;
      }
    },
    async replay(id) {
      const plan = plans.get(id);
      if (plan === undefined)
        throw new TypeError('No event of this id was sent; take one from webhooks.sent.');
      return await deliver(plan);
    },
    clear() {
      plans.clear();
      sent.length = 0;
    },
  };
}

/** A password in an address is a secret like any other. */
function showUrl(url: URL): string {
  if (url.username === '' && url.password === '') return url.href;
  const shown = new URL(url);
  shown.username = '';
  shown.password = '';
  return shown.href.replace('//', '//[redacted]@');
}
