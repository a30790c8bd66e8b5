import { createRedactor } from '../redact.ts';
import type { JournalEntry } from './journal.ts';

/** One line for a request. A key is redacted even where it does not belong, such as in the path. */
export function formatLogLine(entry: JournalEntry, keys: readonly string[]): string {
  const { requestId, at, method, path, status, respondedAt = at, authorization, fault } = entry;
  const redact = createRedactor(keys);
  const key = authorization.keyType ?? `key ${authorization.problem}`;
  const faultText = fault === undefined ? '' : `, fault ${fault.type}`;
  const time = new Date(at).toISOString();
  return `${time} ${requestId} ${method} ${redact(path)} ${status ?? 'no response'} ${respondedAt - at}ms ${key}${faultText}`;
}
