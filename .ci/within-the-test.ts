import { runInNewContext } from 'node:vm';

/** Less than the limit of a test, which cannot end what never gives way; in milliseconds. */
const timeout = 50_000;

/**
 * Shows that something takes linear time: it is given so much that quadratic time would be many minutes on the fastest
 * machine, and must end within its test. Times are not compared, since a busy machine stretches them unequally.
 *
 * @throws Error when it has not ended by then.
 */
export function withinTheTest<Result>(run: () => Result): Result {
  return runInNewContext('run()', { run }, { timeout });
}
