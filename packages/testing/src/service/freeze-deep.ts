/** Freezes a value of plain JSON at every level, without recursion so that depth cannot exhaust the stack. */
export function freezeDeep<Value>(value: Value): Value {
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next !== 'object' || next === null || Object.isFrozen(next)) continue;
    Object.freeze(next);
    // A record or a list: its own fields are all that it has.
    for (const name in next) pending.push(next[name as keyof typeof next]);
  }
  return value;
}
