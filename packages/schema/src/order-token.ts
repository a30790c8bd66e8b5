import type * as z from 'zod/mini';
import { bodySchema } from './body-schema.ts';
import { show } from './hints.ts';
import { string } from './model-types.ts';
import { rule } from './rule.ts';

// A lone surrogate has no UTF-8 form, so no URL can carry it.
const unfit = /^\.{0,2}$|\p{Cc}|\p{Cs}/u;

/** Whether a value can be an order token: the check of `OrderToken` as a plain function, which needs no zod. */
export const isOrderToken = (value: unknown): value is OrderToken =>
  typeof value === 'string' && !unfit.test(value);

/**
 * The identifier of an order that the service generated; not the merchant's own `order_id`
 * (interface document, Endpoints). Its form is not shown: any string passes that can stand as one path
 * segment, so it is never empty, `.` or `..`, and holds no control character and no lone surrogate. For yes or
 * no alone, call `isOrderToken`.
 */
export const OrderToken: z.ZodMiniType<string, string> = /* @__PURE__ */ bodySchema<string>(
  /* @__PURE__ */ string().check(
    /* @__PURE__ */ rule<string>({}, (token) =>
      isOrderToken(token)
        ? undefined
        : {
            rule: 'bad_token',
            message: `Expected an order token, got ${show(token)}`,
            hint: 'Pass the token that the service generated, as it is.',
          },
    ),
  ),
);

/** The identifier of an order that the service generated. */
export type OrderToken = z.infer<typeof OrderToken>;
