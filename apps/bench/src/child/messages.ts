/** What the parent asks of a child: one function of its role's API. */
export interface Question {
  readonly name: string;
  readonly args: readonly unknown[];
}

/** What came of it, or why it failed. */
export type Reply =
  | { readonly type: 'ready' }
  | { readonly type: 'result'; readonly result: unknown }
  | { readonly type: 'failed'; readonly message: string };
