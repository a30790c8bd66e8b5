/** Something JSON cannot hold: where it was found, what it is in words (`NaN`, `a cycle`), and what to send instead. */
export interface NotJson {
  readonly path: readonly PropertyKey[];
  readonly found: string;
  readonly hint: string;
}

/** Deeper or larger input is refused, so that no input can exhaust the stack, or hang. */
const maxDepth = 256;
const maxValues = 100_000;

interface Walk {
  readonly problems: NotJson[];
  readonly path: PropertyKey[];
  readonly ancestors: object[];
  values: number;
}

/**
 * Copies `input` into plain objects and lists, reading every property once, so that what is checked
 * is what will be sent. A field that is `undefined` counts as absent, as it does in JSON; whatever
 * else JSON would change or drop without a word is reported, and `undefined` stands in its place.
 */
export function toPlainJson(input: unknown): {
  readonly value: unknown;
  readonly problems: readonly NotJson[];
} {
  const walk: Walk = { problems: [], path: [], ancestors: [], values: 0 };
  return { value: copyAt({ root: input }, 'root', walk), problems: walk.problems };
}

function copyAt(source: object, key: string | number, walk: Walk): unknown {
  const depth = walk.ancestors.length;
  const length = walk.path.push(key);
  let copied: unknown;
  try {
    // Every read counts: a hostile list may be endless and throw at each of them.
    if (++walk.values > maxValues) {
      if (walk.values === maxValues + 1) refuse(`more than ${maxValues} values`, walk, 'Send less at once.');
    } else {
      const value: unknown = source[key as keyof typeof source];
      if (key === '__proto__') refuse('a field of this name', walk, 'Leave it out.');
      else if (value !== undefined || typeof key === 'number') copied = copy(value, walk);
    }
  } catch {
    // Getters and proxies run foreign code, which may throw at any read.
    walk.ancestors.length = depth;
    walk.path.length = length;
    refuse('a value that throws when it is read', walk);
  }
  walk.path.pop();
  return copied;
}

function copy(value: unknown, walk: Walk): unknown {
  const type = typeof value;
  switch (type) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value)
        ? value
        : refuse(String(value), walk, 'Send a finite number: look where this one is computed.');
    case 'object':
      return value === null ? null : copyObject(value as object, walk);
    case 'undefined':
      return refuse(type, walk, 'Leave it out of the list.');
    case 'bigint':
      return refuse('a bigint', walk, 'Send Number(value).');
    default:
      return refuse(`a ${type}`, walk);
  }
}

function copyObject(value: object, walk: Walk): unknown {
  if (walk.ancestors.includes(value)) return refuse('a cycle', walk, 'Leave out the way back to the parent.');
  if (walk.ancestors.length === maxDepth) return refuse(`nesting deeper than ${maxDepth} levels`, walk);
  walk.ancestors.push(value);
  const copied = Array.isArray(value) ? copyList(value, walk) : copyFields(value, walk);
  walk.ancestors.pop();
  return copied;
}

function copyList(list: readonly unknown[], walk: Walk): unknown {
  const copied: unknown[] = [];
  for (let index = 0; index < list.length && walk.values <= maxValues; index++) {
    copied.push(copyAt(list, index, walk));
  }
  return copied;
}

function copyFields(source: object, walk: Walk): unknown {
  const prototype: unknown = Object.getPrototypeOf(source);
  // An object of another realm has that realm's `Object.prototype`, the one without a prototype.
  if (prototype && Object.getPrototypeOf(prototype)) {
    const name = String(source.constructor?.name || 'a class').slice(0, 40);
    return refuse(`an instance of ${name}`, walk, 'Send its values in a plain object or list, or as a string.');
  }
  const copied: Record<string, unknown> = {};
  for (const name of Object.keys(source)) {
    const value = copyAt(source, name, walk);
    if (value !== undefined) copied[name] = value;
  }
  return copied;
}

function refuse(
  found: string,
  walk: Walk,
  hint = 'Send strings, numbers, booleans, null, plain objects and lists.',
): undefined {
  // The first key names the holder of the whole input.
  walk.problems.push({ path: walk.path.slice(1), found, hint });
  return undefined;
}
