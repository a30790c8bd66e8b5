/** A name without case and underscores. */
export const normalizeName = (name: string): string => name.toLowerCase().replaceAll('_', '');

/** Whether two normalized names are equal, or one edit apart where the meant one has so many letters. */
export function isMisspelling(written: string, meant: string, fewest = 6): boolean {
  return written === meant || (meant.length >= fewest && isOneEditAway(written, meant));
}

/** One letter added, left out, replaced, or swapped with its neighbour. */
function isOneEditAway(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  const rest = (text: string, from: number): string => text.slice(start + from);
  return (
    rest(a, 1) === rest(b, 0) ||
    rest(a, 0) === rest(b, 1) ||
    rest(a, 1) === rest(b, 1) ||
    (a[start] === b[start + 1] && b[start] === a[start + 1] && rest(a, 2) === rest(b, 2))
  );
}
