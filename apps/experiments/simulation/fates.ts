/** What becomes of a request, by name. */
export const fates = {
  applied: 'It is applied, and 200 says so.',
  slow: 'It is applied, and 200 says so after up to 12 s.',
  late: 'It arrives up to 5 s later, and is applied.',
  refused: 'It is refused with 422.',
  'rate limited': 'It is refused with 429 and a Retry-After of up to 5 s.',
  'key refused': 'It is refused with 401.',
  'failed before': 'It is not applied, and 500 says nothing about that.',
  'failed after': 'It is applied, and 500 says nothing about that.',
  'reset before': 'The connection is reset before it is applied.',
  'reset after': 'The connection is reset after it was applied.',
  'silent before': 'It is not applied, and no response comes.',
  'silent after': 'It is applied, and no response comes.',
  unreachable: 'The connection is refused.',
} as const;

/** The name of a fate. */
export type Fate = keyof typeof fates;

/** The status of a response that is none of 200. */
export const statuses: Partial<Record<Fate, number>> = {
  refused: 422,
  'rate limited': 429,
  'key refused': 401,
  'failed before': 500,
  'failed after': 500,
};
/** Those that say that the service, or what is before it, does not work. */
export const failures: ReadonlySet<Fate> = new Set([
  'failed before',
  'failed after',
  'reset before',
  'reset after',
  'silent before',
  'silent after',
  'unreachable',
]);
/** Those by which an update is applied. */
export const applies: ReadonlySet<Fate> = new Set([
  'applied',
  'slow',
  'late',
  'failed after',
  'reset after',
  'silent after',
]);
