import type { JournalEntry } from '../service/journal.ts';

/** One line for one answered request; a key is taken out even where it does not belong, such as in the path. */
export function formatLogLine(entry: JournalEntry, keys: readonly string[]): string {
  const { requestId, at, method, path, status, answeredAt = at, authorization } = entry;
  const who = authorization.keyType ?? `key ${authorization.problem}`;
  const forms = keys.flatMap((key) => [
    Buffer.from(`${key}:`).toString('base64'),
    encodeURIComponent(key),
    key,
  ]);
  const shownPath = forms.reduce((text, form) => text.replaceAll(form, '[redacted]'), path);
  return `${new Date(at).toISOString()} ${requestId} ${method} ${shownPath} ${status} ${answeredAt - at}ms ${who}`;
}
