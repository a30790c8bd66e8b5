type Segment = PropertyKey | { readonly key: PropertyKey };

/** An issue as zod and every Standard Schema library tell it; ours carry a rule and a hint besides. */
export interface ExplainableIssue {
  readonly message: string;
  readonly path?: readonly Segment[] | undefined;
  readonly code?: string | undefined;
}

/** What is wrong, where, and what to write instead. */
export interface Explanation {
  /** Where: `cart.items[3].unit_price`; empty for the body as a whole. */
  readonly path: string;
  /**
   * Which rule: `required`, `wrong_type`, `not_integer`, `out_of_range`, `too_long`, `unknown_currency`,
   * `bad_url`, `bad_token`, `not_json`, `misspelled`, `misplaced`, `not_set_here`, or the code of a schema of
   * yours.
   * A code never changes its meaning.
   */
  readonly code: string;
  /** What is wrong. Values appear as numbers or in at most 40 characters. */
  readonly message: string;
  /** What to write instead; absent when only a schema of your own knows. */
  readonly hint?: string;
}

/** Tells each issue of a failed parse as a path, a code, a message and a hint. Never throws. */
export function explain(error: { readonly issues: readonly ExplainableIssue[] }): Explanation[] {
  return error.issues.map((issue) => {
    const { rule, hint } = issue as { readonly rule?: string; readonly hint?: string };
    return {
      path: formatPath(issue.path ?? []),
      code: rule ?? issue.code ?? 'invalid',
      message: issue.message,
      ...(hint === undefined ? {} : { hint }),
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
