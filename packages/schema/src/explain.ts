type Segment = PropertyKey | { readonly key: PropertyKey };

/** The codes of the issues that the schemas of this package report. A code never changes its meaning. */
export type IssueCode =
  | 'required'
  | 'invalid_type'
  | 'not_integer'
  | 'out_of_range'
  | 'too_long'
  | 'invalid_currency'
  | 'invalid_url'
  | 'invalid_token'
  | 'misspelled'
  | 'misplaced'
  | 'not_supported'
  | 'not_serializable';

/** An issue of zod or of any Standard Schema library. */
export interface ExplainableIssue {
  readonly message: string;
  readonly path?: readonly Segment[] | undefined;
  /** The code of the library. */
  readonly code?: string | undefined;
  /** What a check adds to zod's issue: a code that comes before zod's own, and a hint. */
  readonly params?: { readonly code?: unknown; readonly hint?: unknown } | undefined;
}

/** What is wrong, where, and what to write instead. */
export interface Explanation {
  /** The path of the field: `cart.items[3].unit_price`; empty for the body as a whole. */
  readonly path: string;
  /** The code of the issue. A schema of yours has the codes of its library, or the one in `params` of its check. */
  readonly code: IssueCode | (string & {});
  /** What is wrong. Text of the value is cut at 40 characters. */
  readonly message: string;
  /** What to write instead. The issues of this package always have one. */
  readonly hint?: string;
}

/**
 * Lists the issues of a failed parse with path, code, message and hint. Never throws.
 *
 * A check of yours may have a code and a hint too:
 * `z.refine(hasLines, { error: 'The cart is empty', params: { code: 'empty_cart', hint: 'Add a line.' } })`.
 *
 * @param error The error of `safeParse`, or the result of a Standard Schema that has `issues`.
 */
export function explain(error: { readonly issues: readonly ExplainableIssue[] }): Explanation[] {
  return error.issues.map((issue) => {
    const { code, hint } = issue.params ?? {};
    return {
      path: formatPath(issue.path ?? []),
      code: typeof code === 'string' ? code : (issue.code ?? 'invalid'),
      message: issue.message,
      ...(typeof hint === 'string' && { hint }),
    };
  });
}

function formatPath(path: readonly Segment[]): string {
  let text = '';
  for (const segment of path) {
    const key = typeof segment === 'object' ? segment.key : segment;
    const name = String(key);
    if (typeof key === 'number') text += `[${key}]`;
    else if (/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(name)) text += text ? `.${name}` : name;
    else text += `[${JSON.stringify(name)}]`;
  }
  return text;
}
