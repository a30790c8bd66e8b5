/** Which rule is broken, as `explain` of `@orders/schema` tells it. */
export type InvalidCode =
  | 'required'
  | 'invalid_type'
  | 'not_integer'
  | 'out_of_range'
  | 'too_long'
  | 'invalid_currency'
  | 'invalid_url'
  | 'misspelled'
  | 'misplaced'
  | 'not_supported'
  | 'not_serializable';

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

const NOT_SERIALIZABLE = { code: 'not_serializable', json: false, beyondJsonSchema: true } as const;

/** Every way to get an update wrong, and what is known of it. */
export const REASONS = {
  missing: { code: 'required' },
  null: { code: 'invalid_type' },
  invalid_type: { code: 'invalid_type' },
  text_for_object: { code: 'invalid_type' },
  number_for_text: { code: 'invalid_type' },
  number_in_quotes: { code: 'invalid_type' },
  boolean_in_quotes: { code: 'invalid_type' },
  fraction: { code: 'not_integer' },
  beyond_safe_integer: { code: 'out_of_range' },
  beyond_int32: { code: 'out_of_range' },
  too_long: { code: 'too_long' },
  currency_not_listed: { code: 'invalid_currency' },
  currency_in_other_case: { code: 'invalid_currency' },
  currency_with_blank: { code: 'invalid_currency' },
  relative_url: { code: 'invalid_url' },
  blank_in_url: { code: 'invalid_url' },
  script_url: { code: 'invalid_url' },
  not_web_url: { code: 'invalid_url' },
  misspelled_by_case: { code: 'misspelled', beyondJsonSchema: true },
  misspelled_by_edit: { code: 'misspelled', beyondJsonSchema: true },
  misplaced: { code: 'misplaced' },
  billing_address: { code: 'not_supported' },
  nan: NOT_SERIALIZABLE,
  infinity: NOT_SERIALIZABLE,
  bigint: NOT_SERIALIZABLE,
  symbol: NOT_SERIALIZABLE,
  function: NOT_SERIALIZABLE,
  undefined_in_list: NOT_SERIALIZABLE,
  date: NOT_SERIALIZABLE,
  map: NOT_SERIALIZABLE,
  class_instance: NOT_SERIALIZABLE,
  cycle: NOT_SERIALIZABLE,
  throwing_getter: NOT_SERIALIZABLE,
  throwing_proxy: NOT_SERIALIZABLE,
  proto_field: { code: 'not_serializable', beyondJsonSchema: true },
  too_deep: { code: 'not_serializable', beyondJsonSchema: true },
  too_many_values: { code: 'not_serializable', beyondJsonSchema: true, weight: 1 },
} as const satisfies Record<string, ReasonFacts>;

/** What is given for some reasons, one by one. */
export function listReasons<T>(
  of: { readonly [Reason in InvalidReason]?: T | undefined },
): [InvalidReason, T][] {
  const entries = Object.entries(of) as [InvalidReason, T | undefined][];
  return entries.filter((entry): entry is [InvalidReason, T] => entry[1] !== undefined);
}
