/** What is wrong with a request to the outbox, or with its database. A code never changes its meaning. */
export type OutboxErrorCode =
  | 'unknown_update'
  | 'nothing_to_decide'
  | 'duplicate_id'
  | 'closed'
  | 'database_unusable'
  | 'folder_unusable'
  | 'folder_in_use'
  | 'newer_tables';

/** A request that the outbox cannot fulfil; its message says why, and never holds a password or a key. */
export class OutboxError extends Error {
  override readonly name = 'OutboxError';
  readonly code: OutboxErrorCode;

  constructor(code: OutboxErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
