const MAX_ENTRIES = 1_000;
/** In characters of JSON, so that a thousand large bodies cannot exhaust the memory. */
const MAX_LENGTH = 16_777_216;

/** Entries as the text of a JSON array, as many of them as one answer holds. */
export interface BoundedList<Entry> {
  readonly json: string;
  readonly shown: readonly Entry[];
  /** How many there are besides. */
  readonly omitted: number;
}

/** The first entries, or the last ones: at most 1,000, and fewer where they are large, but always one. */
export function boundList<Entry>(
  entries: readonly Entry[],
  side: 'first' | 'last',
  show: (entry: Entry) => unknown = (entry) => entry,
): BoundedList<Entry> {
  const texts: string[] = [];
  let length = 0;
  while (texts.length < Math.min(entries.length, MAX_ENTRIES)) {
    const entry = entries.at(side === 'first' ? texts.length : -1 - texts.length);
    const text = JSON.stringify(entry === undefined ? null : show(entry));
    length += text.length;
    if (length > MAX_LENGTH && texts.length > 0) break;
    texts.push(text);
  }
  const count = texts.length;
  if (side === 'last') texts.reverse();
  return {
    json: `[${texts.join(',')}]`,
    shown: side === 'first' ? entries.slice(0, count) : entries.slice(entries.length - count),
    omitted: entries.length - count,
  };
}
