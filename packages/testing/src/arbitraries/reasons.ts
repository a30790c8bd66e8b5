/** Which rule is broken, as `explain` of `@orders/schema` tells it. */
export type InvalidCode =
  | 'required'
  | 'wrong_type'
  | 'not_integer'
  | 'out_of_range'
  | 'too_long'
  | 'unknown_currency'
  | 'bad_url'
  | 'misspelled'
  | 'misplaced'
  | 'not_set_here'
  | 'not_json';

/** One way to get an update wrong, finer than its code. */
export type InvalidReason = keyof typeof REASONS;

/** What is known of a reason. */
export interface ReasonFacts {
  readonly code: InvalidCode;
  /** Whether JSON text carries it. @default true */
  readonly json?: boolean;
  /** Whether JSON Schema has no words for it. @default false */
  readonly beyondJsonSchema?: boolean;
  /** How often it occurs beside the others. @default 8 */
  readonly weight?: number;
}

const NOT_JSON = { code: 'not_json', json: false, beyondJsonSchema: true } as const;

/** Every way to get an update wrong, and what is known of it. */
export const REASONS = {
  missing: { code: 'required' },
  null: { code: 'wrong_type' },
  wrong_type: { code: 'wrong_type' },
  text_for_object: { code: 'wrong_type' },
  number_for_text: { code: 'wrong_type' },
  number_in_quotes: { code: 'wrong_type' },
  boolean_in_quotes: { code: 'wrong_type' },
  fraction: { code: 'not_integer' },
  beyond_safe_integer: { code: 'out_of_range' },
  beyond_int32: { code: 'out_of_range' },
  too_long: { code: 'too_long' },
  currency_not_listed: { code: 'unknown_currency' },
  currency_in_other_case: { code: 'unknown_currency' },
  currency_with_blank: { code: 'unknown_currency' },
  relative_url: { code: 'bad_url' },
  blank_in_url: { code: 'bad_url' },
  script_url: { code: 'bad_url' },
  not_web_url: { code: 'bad_url' },
  misspelled_by_case: { code: 'misspelled', beyondJsonSchema: true },
  misspelled_by_edit: { code: 'misspelled', beyondJsonSchema: true },
  misplaced: { code: 'misplaced' },
  billing_address: { code: 'not_set_here' },
  nan: NOT_JSON,
  infinity: NOT_JSON,
  bigint: NOT_JSON,
  symbol: NOT_JSON,
  function: NOT_JSON,
  undefined_in_list: NOT_JSON,
  date: NOT_JSON,
  map: NOT_JSON,
  class_instance: NOT_JSON,
  cycle: NOT_JSON,
  throwing_getter: NOT_JSON,
  throwing_proxy: NOT_JSON,
  proto_field: { code: 'not_json', beyondJsonSchema: true },
  too_deep: { code: 'not_json', beyondJsonSchema: true },
  too_many_values: { code: 'not_json', beyondJsonSchema: true, weight: 1 },
} as const satisfies Record<string, ReasonFacts>;

/** What is given for some reasons, one by one. */
export function listReasons<T>(
  of: { readonly [Reason in InvalidReason]?: T | undefined },
): [InvalidReason, T][] {
  const entries = Object.entries(of) as [InvalidReason, T | undefined][];
  return entries.filter((entry): entry is [InvalidReason, T] => entry[1] !== undefined);
}
