import type { JournalEntry } from '../service/journal.ts';

/** One line for one request; a key is taken out even where it does not belong, such as in the path. */
export function formatLogLine(entry: JournalEntry, keys: readonly string[]): string {
  const { requestId, at, method, path, status, answeredAt = at, authorization, fault } = entry;
  const who = authorization.keyType ?? `key ${authorization.problem}`;
  const met = fault === undefined ? '' : `, met ${fault.fault}`;
  const when = `${new Date(at).toISOString()} ${requestId}`;
  return `${when} ${method} ${redact(path, keys)} ${status ?? 'no answer'} ${answeredAt - at}ms ${who}${met}`;
}

function redact(path: string, keys: readonly string[]): string {
  const forms = keys.flatMap((key) => [
    Buffer.from(`${key}:`).toString('base64'),
    encodeURIComponent(key),
    key,
  ]);
  const shown = forms.reduce((text, form) => text.replaceAll(form, '[redacted]'), path);
  // A key may be percent-encoded in more ways than one.
  return shown.replaceAll(/[^/?&=]+/g, (part) =>
    forms.some((form) => decode(part).includes(form)) ? '[redacted]' : part,
  );
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
