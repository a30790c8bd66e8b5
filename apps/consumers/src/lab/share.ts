/** Does the work once for each key, however many ask for it at the same time; a failure is shared too. */
export function share<Wish, Made>(
  make: (wish: Wish) => Promise<Made>,
  keyOf: (wish: Wish) => string = () => '',
): (wish: Wish) => Promise<Made> {
  const made = new Map<string, Promise<Made>>();
  return (wish) => {
    const key = keyOf(wish);
    const known = made.get(key) ?? make(wish);
    made.set(key, known);
    return known;
  };
}
