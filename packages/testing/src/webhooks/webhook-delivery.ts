/** One try to hand an event over; deep-frozen. */
export interface WebhookAttempt {
  /** When it began: milliseconds since the epoch, by the service's clock. */
  readonly at: number;
  /** How long it took, in milliseconds, by the service's clock. */
  readonly durationMs: number;
  /** The status of the answer, as soon as there was one; absent where `error` says why there is none. */
  readonly status?: number;
  /**
   * Why there was no answer: `timeout`, `service_closed`, `address_refused`, or the code of Node's error, such as
   * `ECONNREFUSED`.
   */
  readonly error?: string;
}

/** An event that was handed over or given up; plain data, deep-frozen. */
export interface WebhookDelivery {
  /** The event's own; a replay has the id of what it repeats. */
  readonly id: string;
  readonly event: string;
  /** The order's. */
  readonly token: string;
  /** Where to; a user name and a password in it read `[redacted]`. */
  readonly url: string;
  /** The body sent, to the byte: JSON in UTF-8. */
  readonly body: string;
  /** In order; never more than `maxAttempts`. */
  readonly attempts: readonly WebhookAttempt[];
  /** Whether the last attempt was answered with a 2xx. */
  readonly delivered: boolean;
}
