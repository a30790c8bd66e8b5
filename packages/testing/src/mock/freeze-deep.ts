/** Freezes a value of plain JSON at every level, without recursion so that depth cannot exhaust the stack. */
export function freezeDeep<Value>(value: Value): Value {
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next !== 'object' || next === null || Object.isFrozen(next)) continue;
    Object.freeze(next);
    if (Array.isArray(next)) for (const inner of next) pending.push(inner);
    else for (const name in next) pending.push(next[name as keyof typeof next]);
  }
  return value;
}
