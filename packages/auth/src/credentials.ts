import type { Secret } from './secret.ts';

/** The value of an `Authorization` header, `Basic …` or `Bearer …`, as a secret. */
export type Authorization = Secret;

/**
 * What proves who calls: an `Authorization` value, as `basic` and `bearer` make it, or a function that
 * yields one, for keys that rotate. The function is asked before each attempt.
 */
export type Credentials = Authorization | (() => Authorization | Promise<Authorization>);

/** Yields the `Authorization` value of credentials: at once, or in time when their function does. */
export function authorize(credentials: Credentials): Authorization | Promise<Authorization> {
  return typeof credentials === 'function' ? credentials() : credentials;
}
