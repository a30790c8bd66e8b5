/** Deeper or larger input, which may be a cycle, is left to the careful copy. */
const maxDepth = 64;
const maxValues = 50_000;

/** What the quick copy cannot tell about: the careful copy reads the input again and tells. */
const giveUp = Symbol('give up');

/**
 * Copies plain JSON as `toPlainJson` does, a good deal faster, since it keeps no path; `undefined` for anything that
 * is not plain JSON to the last value, so that the careful copy tells what is wrong with it and where.
 */
export function quickCopy(input: unknown): object | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  try {
    return copy(input, 0, { values: 0 });
  } catch {
    return undefined;
  }
}

function copy(source: object, depth: number, walk: { values: number }): object {
  if (depth > maxDepth || walk.values > maxValues) throw giveUp;
  return Array.isArray(source) ? copyList(source, depth, walk) : copyFields(source, depth, walk);
}

function copyList(list: readonly unknown[], depth: number, walk: { values: number }): unknown[] {
  const { length } = list;
  walk.values += length;
  if (walk.values > maxValues) throw giveUp;
  const copied: unknown[] = [];
  for (let index = 0; index < length; index++) copied.push(copyValue(list[index], depth, walk));
  return copied;
}

function copyFields(source: object, depth: number, walk: { values: number }): object {
  const prototype: unknown = Object.getPrototypeOf(source);
  if (prototype !== null && prototype !== Object.prototype) throw giveUp;
  const fields: Record<string, unknown> = { ...source };
  for (const name in fields) {
    walk.values++;
    const value = fields[name];
    if (name === '__proto__') throw giveUp;
    if (typeof value === 'string') continue;
    const copied = copyValue(value, depth, walk);
    if (copied === value) continue;
    // Somebody may have put an enumerable property on `Object.prototype`.
    if (!Object.hasOwn(fields, name)) throw giveUp;
    fields[name] = copied;
  }
  return fields;
}

function copyValue(value: unknown, depth: number, walk: { values: number }): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (Number.isFinite(value)) return value;
      throw giveUp;
    case 'object':
      return value === null ? null : copy(value, depth + 1, walk);
    default:
      throw giveUp;
  }
}
