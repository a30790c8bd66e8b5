/** A random UUID, also where the page is served without TLS to another machine and `randomUUID` is missing. */
export function makeId(): string {
  if ('randomUUID' in crypto) return crypto.randomUUID();
  return '10000000-1000-4000-8000-100000000000'.replace(/[018]/g, (digit) => {
    const [random = 0] = (crypto as Crypto).getRandomValues(new Uint8Array(1));
    return (Number(digit) ^ (random & (15 >> (Number(digit) / 4)))).toString(16);
  });
}
