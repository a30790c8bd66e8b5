import process from 'node:process';
import { describeError } from './errors.ts';

/** A callback of the user that may throw, or reject: that is reported, and ends nothing. */
export function guarded<Value>(
  callback: (value: Value) => unknown,
  report = (reason: string): void => process.emitWarning(`A callback failed: ${reason}`, 'OutboxWarning'),
): (value: Value) => void {
  return (value) => {
    (async () => callback(value))().catch((error: unknown) => report(describeError(error)));
  };
}
