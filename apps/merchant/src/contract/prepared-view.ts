import * as z from 'zod/mini';

/** What exactly would be sent, without the key: the answer of `POST /api/orders/:token/prepare`, whose body is the update. */
export const PreparedView = z.object({
  method: z.literal('PATCH'),
  url: z.string(),
  /** Header lines in order; the value of Authorization is hidden. */
  headers: z.array(z.tuple([z.string(), z.string()])),
  /** The exact text of the body. */
  body: z.string(),
  bodyBytes: z.number(),
  /** A command for a POSIX shell, which reads the key from ORDERS_API_KEY. */
  curl: z.string(),
});
export type PreparedView = z.infer<typeof PreparedView>;
