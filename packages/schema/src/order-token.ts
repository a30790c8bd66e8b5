import type * as z from 'zod/mini';
import { createCheck, show, string } from './field-types.ts';
import { jsonBody } from './json-body.ts';

// A lone surrogate has no UTF-8 form, so no URL can carry it.
const invalid = /^\.{0,2}$|\p{Cc}|\p{Cs}/u;

/**
 * Returns whether a value can be an order token: the check of `OrderToken` as a plain function, which adds no zod to a
 * bundle.
 */
export const isOrderToken = (value: unknown): value is OrderToken =>
  typeof value === 'string' && !invalid.test(value);

/**
 * Checks an order token: the identifier that the service generated, not the merchant's own `order_id`. Its format is
 * undocumented, so any string passes that can be one segment of a URL path: it is not empty, `.` or `..`, and holds
 * no control character and no lone surrogate.
 */
export const OrderToken: z.ZodMiniType<string, string> = /* @__PURE__ */ jsonBody<string>(
  /* @__PURE__ */ string().check(
    /* @__PURE__ */ createCheck<string>({}, (token) =>
      isOrderToken(token)
        ? undefined
        : {
            code: 'invalid_token',
            message: `Expected an order token, got ${show(token)}`,
            hint: 'Pass the token that the service generated, as it is.',
          },
    ),
  ),
);

/** The identifier of an order that the service generated. */
export type OrderToken = z.infer<typeof OrderToken>;
