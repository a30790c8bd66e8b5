import { isIP } from 'node:net';
import type { MiddlewareHandler } from 'hono';
import { refuse } from './refuse.ts';

/**
 * Refuses what another site may have made a browser send: the desk asks for no password, so whoever
 * can make the browser call it could change orders.
 */
export function guardRequests(ownName: string): MiddlewareHandler {
  return async (c, next) => {
    const { host, hostname, origin } = new URL(c.req.url);
    // Another site can point its own name at this address; it cannot do so with an address.
    if (hostname !== 'localhost' && hostname !== ownName && isIP(hostname.replace(/^\[|\]$/g, '')) === 0) {
      return refuse(c, 421, { code: 'wrong_host', message: `This desk is not ${host}.` });
    }
    if (c.req.method === 'GET' || c.req.method === 'HEAD') return next();
    const site = c.req.header('sec-fetch-site') ?? 'same-origin';
    if (site !== 'same-origin' || (c.req.header('origin') ?? origin) !== origin) {
      return refuse(c, 403, { code: 'wrong_origin', message: 'Only the page of this desk may do this.' });
    }
    if (!/^application\/json *(;|$)/i.test(c.req.header('content-type') ?? '')) {
      return refuse(c, 415, {
        code: 'not_json',
        message: 'Send the body with Content-Type: application/json.',
      });
    }
    return next();
  };
}
