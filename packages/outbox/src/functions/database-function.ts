/**
 * What happens most often is done by functions in the database: one round trip, and plans that are made once. Tables
 * grow after a plan was made, so it is told to go by an index.
 */
export const byIndex = [
  'plan_cache_mode = force_generic_plan',
  ...['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin', 'enable_bitmapscan', 'jit'].map(
    (setting) => `${setting} = off`,
  ),
]
  .map((setting) => `set ${setting}`)
  .join(' ');

/** The body of a function. */
export const body = (statements: string): string => `language plpgsql as $body$${statements}$body$`;
