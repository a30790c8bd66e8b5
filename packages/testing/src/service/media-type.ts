const JSON_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/i;

/** Whether a `Content-Type` is `application/json`, in UTF-8 where it names a charset; one that is given twice is not. */
export function isJsonContentType(value: string | undefined): boolean {
  return value === 'application/json' || (value !== undefined && JSON_TYPE.test(value));
}

/** Whether an `Accept` admits `application/json` (RFC 9110, 12.5.1): the most specific range that names it decides. */
export function acceptsJson(value: string | undefined): boolean {
  if (value === undefined || value === 'application/json') return true;
  const ranges = value.split(',').map(readRange);
  if (ranges.every(({ range }) => range === '')) return true;
  for (const name of ['application/json', 'application/*', '*/*']) {
    const named = ranges.filter(({ range }) => range === name);
    if (named.length > 0) return named.some(({ quality }) => quality > 0);
  }
  return false;
}

function readRange(text: string): { range: string; quality: number } {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return { range, quality: quality === undefined ? 1 : Number(quality) };
}
