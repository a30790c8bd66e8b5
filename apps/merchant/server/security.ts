import { isIP } from 'node:net';
import type { MiddlewareHandler } from 'hono';
import { NONCE, secureHeaders } from 'hono/secure-headers';
import { ApiError } from './errors.ts';

export interface GuardOptions {
  /** The address or name the app listens on. */
  readonly host: string;
  /** Origin of a reverse proxy in front of the app, such as `https://shop.example`. */
  readonly trustProxy?: string | undefined;
}

/** The page loads nothing but its own files; inline styles carry the nonce of the request. */
export function securityHeaders(): MiddlewareHandler {
  return secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'self'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'", NONCE],
      imgSrc: ["'self'", 'data:'],
      objectSrc: ["'none'"],
      baseUri: ["'none'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
    },
    xFrameOptions: 'DENY',
    // The app speaks plain HTTP; a proxy that adds TLS sets this header.
    strictTransportSecurity: false,
  });
}

/** Types of a body that a form of another site can post without the browser asking first. */
const formTypes = /^(text\/plain|application\/x-www-form-urlencoded|multipart\/form-data)\b/i;

/**
 * Refuses requests that another site makes a browser send: the app has no login, so such a request could change orders.
 */
export function guardRequests({ host, trustProxy }: GuardOptions): MiddlewareHandler {
  const proxy = trustProxy === undefined ? undefined : new URL(trustProxy);
  return async (c, next) => {
    const { hostname, origin } = new URL(c.req.url);
    // Another site can point its own name at this address, but it cannot use an address as its name.
    const isOwnName =
      ['localhost', host, proxy?.hostname].includes(hostname) || isIP(hostname.replace(/^\[|\]$/g, ''));
    if (!isOwnName) throw new ApiError(421, 'wrong_host', `This app is not ${hostname}.`);
    if (c.req.method === 'GET' || c.req.method === 'HEAD') return next();
    const from = c.req.header('origin') ?? origin;
    const site = c.req.header('sec-fetch-site') ?? 'same-origin';
    if (site !== 'same-origin' || (from !== origin && from !== proxy?.origin))
      throw new ApiError(403, 'wrong_origin', 'Only the page of this app may do this.');
    if (formTypes.test(c.req.header('content-type') ?? ''))
      throw new ApiError(415, 'wrong_type', 'Send JSON, with Content-Type: application/json.');
    return next();
  };
}
