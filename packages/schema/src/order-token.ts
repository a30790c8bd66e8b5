import * as z from 'zod/mini';

// A lone surrogate has no UTF-8 form, so no URL can carry it.
const isToken = (text: string): boolean => !/^\.{0,2}$|\p{Cc}|\p{Cs}/u.test(text);

/**
 * The identifier of an order that the service generated; not the merchant's own `order_id`
 * (interface document, Endpoints). Its form is not shown: any string passes that can stand as one path
 * segment, so it is never empty, `.` or `..`, and holds no control character and no lone surrogate.
 */
export const OrderToken: z.ZodMiniString = /* @__PURE__ */ z.string().check(
  /* @__PURE__ */ z.refine(isToken, {
    error: 'Expected the order token that the service generated: one path segment, not empty, "." or ".."',
  }),
);

/** The identifier of an order that the service generated. */
export type OrderToken = z.infer<typeof OrderToken>;
