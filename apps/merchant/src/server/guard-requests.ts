import { isIP } from 'node:net';
import type { MiddlewareHandler } from 'hono';
import { refuse } from './refuse.ts';

export interface GuardOptions {
  /** The name by which this desk may be called, besides `localhost` and addresses. */
  readonly ownName: string;
  /** The name by which the order service calls its webhooks, and nothing else. */
  readonly publicName: string;
}

/** Media types that no form, and no script without leave, can send to another site. */
const sendable = /^(application\/([\w.-]+\+)?json|application\/x-ndjson|text\/csv) *(;|$)/i;

/**
 * Refuses what another site may have made a browser send: the desk asks for no password, so whoever
 * can make the browser call it could change orders.
 */
export function guardRequests({ ownName, publicName }: GuardOptions): MiddlewareHandler {
  return async (c, next) => {
    const { host, hostname, origin } = new URL(c.req.url);
    const isWebhook = c.req.path.startsWith('/hooks/');
    // Another site can point its own name at this address; it cannot do so with an address.
    const isOwn = hostname === 'localhost' || hostname === ownName || isIP(hostname.replace(/^\[|\]$/g, ''));
    if (!isOwn && !(isWebhook && hostname === publicName)) {
      return refuse(c, 421, { code: 'wrong_host', message: `This desk is not ${host}.` });
    }
    if (c.req.method === 'GET' || c.req.method === 'HEAD') return next();
    const site = c.req.header('sec-fetch-site') ?? 'same-origin';
    if (site !== 'same-origin' || (c.req.header('origin') ?? origin) !== origin) {
      return refuse(c, 403, { code: 'wrong_origin', message: 'Only the page of this desk may do this.' });
    }
    // A form can post; it can neither put nor delete.
    if (c.req.method === 'POST' && !sendable.test(c.req.header('content-type') ?? '')) {
      return refuse(c, 415, {
        code: 'not_json',
        message: 'Send the body with Content-Type: application/json.',
      });
    }
    return next();
  };
}
