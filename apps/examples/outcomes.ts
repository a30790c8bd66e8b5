import type { UpdateOrderResult } from '@orders/client';

/** The response of a shop to its customer, for each outcome. */
export function toCustomerResponse(result: UpdateOrderResult) {
  const { ok, error } = result;
  // An error with this outcome means that only the response was unusable.
  if (ok || error.outcome === 'applied')
    return respond(200, 'Your change is saved.');

  // It may have been applied: never resend it, let a person look at it.
  if (error.outcome === 'unknown')
    return respond(
      202,
      'We are checking whether your change is saved. Please do not repeat it.',
    );

  // `rejected` or `not_sent`, so it was not applied: sending it again is
  // safe, and may succeed after `error.retryAfterMs`.
  if (error.retryable)
    return respond(
      503,
      'Your change is not saved. Please try again later.',
      { retryAfterMs: error.retryAfterMs },
    );

  // The issues name each field and what to write instead.
  if (error.code === 'validation_error')
    return respond(422, 'Please check your input.', {
      issues: error.issues,
    });

  // The same update fails again: fix the key or the program.
  return respond(500, 'Your change could not be saved.');
}

function respond<const Status extends number>(
  status: Status,
  message: string,
  { issues = [], retryAfterMs }: Details = {},
) {
  const headers: Record<string, string> = {};
  if (retryAfterMs !== undefined)
    headers['retry-after'] = `${Math.ceil(retryAfterMs / 1_000)}`; // seconds
  return { status, headers, body: { message, issues } };
}

interface Details {
  readonly issues?: readonly unknown[];
  readonly retryAfterMs?: number | undefined;
}
