import * as z from 'zod/mini';
import { bodySchema } from './body-schema.ts';
import { show } from './hints.ts';
import { openObject, string } from './model-types.ts';
import { rule } from './rule.ts';

/** A URL by pattern, not by a URL parser: placeholders in braces are fine inside. */
function url(pattern: RegExp, kind: string): z.ZodMiniString {
  return string().check(
    rule({ pattern: pattern.source }, (text) =>
      pattern.test(text)
        ? undefined
        : {
            rule: 'bad_url',
            message: `Expected ${kind}, got ${show(text)}`,
            hint: 'Write the whole address without spaces, beginning with https://, or leave it out.',
          },
    ),
  );
}

const webUrl = (): z.ZodMiniString => url(/^[hH][tT][tT][pP][sS]?:\/\/[^\s/?#]\S*$/, 'an http or https URL');

// Apps return to schemes of their own; the two that carry code or content are refused.
const returnUrl = (): z.ZodMiniString =>
  url(
    /^(?![jJ][aA][vV][aA][sS][cC][rR][iI][pP][tT]:|[dD][aA][tT][aA]:)[a-zA-Z][a-zA-Z\d+.-]*:\S+$/,
    'an absolute URL',
  );

/** The addresses of an order (interface document, Hooks). Which are required is not shown: none is. */
export const hooksShape = {
  /** Where the user is returned after success: an absolute URL, of an app's own scheme too (`myapp://paid`). */
  user_return_url_on_success: z.optional(returnUrl()),
  /** Where the user is returned after failure: an absolute URL, of an app's own scheme too. */
  user_return_url_on_fail: z.optional(returnUrl()),
  /** Address of the merchant's terms: http or https. */
  terms_url: z.optional(webUrl()),
  /** Address to which the service sends webhook calls: http or https. */
  webhook_url: z.optional(webUrl()),
};

/** Checks the addresses of an order by themselves. */
export const Hooks: z.ZodMiniType<Hooks, Hooks> = /* @__PURE__ */ bodySchema(
  /* @__PURE__ */ openObject(hooksShape),
);

/** The addresses of an order (interface document, Hooks). */
export interface Hooks extends z.infer<ReturnType<typeof openObject<typeof hooksShape>>> {}
