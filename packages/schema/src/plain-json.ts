/** Something JSON cannot hold: where it was found, what it is in words (`NaN`, `a cycle`), and what to send instead. */
export interface NotJson {
  readonly path: readonly PropertyKey[];
  readonly found: string;
  readonly hint: string;
}

// Deeper or larger input is refused, so that none can exhaust the stack or the memory, or hang.
const maxDepth = 256;
const maxValues = 100_000;
const maxProblems = 100;

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
 * Input that goes beyond a limit is `undefined` as a whole.
 */
export function toPlainJson(input: unknown): {
  readonly value: unknown;
  readonly problems: readonly NotJson[];
} {
  const walk: Walk = { problems: [], path: [], ancestors: [], values: 0 };
  const value = copyAt({ root: input }, 'root', walk);
  if (walk.values <= maxValues) return { value, problems: walk.problems };
  refuse(`more than ${maxValues} values, or ${maxProblems} problems at once`, walk, 'Send less at once.');
  return { value: undefined, problems: walk.problems };
}

function copyAt(source: object, key: string | number, walk: Walk): unknown {
  const depth = walk.ancestors.length;
  walk.path.push(key);
  let copied: unknown;
  try {
    // Every read counts: a hostile list may be endless and throw at each of them.
    if (++walk.values <= maxValues) {
      const value: unknown = source[key as keyof typeof source];
      if (key === '__proto__') refuse('a field of this name', walk, 'Leave it out.');
      else if (value !== undefined || typeof key === 'number') copied = copy(value, walk);
    }
  } catch {
    // Getters and proxies run foreign code, which may throw at any read.
    walk.ancestors.length = depth;
    refuse('a value that throws when it is read', walk);
  }
  walk.path.pop();
  return copied;
}

function copy(value: unknown, walk: Walk): unknown {
  const type = typeof value;
  if (value === null || type === 'string' || type === 'boolean' || Number.isFinite(value)) return value;
  if (typeof value === 'object') return copyObject(value, walk);
  return refuse(type === 'number' ? String(value) : `a value of type ${type}`, walk, hints[type]);
}

const hints: Partial<Record<string, string>> = {
  bigint: 'Send Number(value).',
  number: 'Send a finite number: look at what computes it.',
  undefined: 'Leave it out.',
};

function copyObject(value: object, walk: Walk): unknown {
  if (walk.ancestors.includes(value)) return refuse('a cycle', walk, 'Leave it out.');
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
    return refuse(`an instance of ${name}`, walk, 'Send a plain object, a list or a string.');
  }
  const copied: Record<string, unknown> = {};
  for (const name of Object.keys(source)) {
    const field = copyAt(source, name, walk);
    if (field !== undefined) copied[name] = field;
  }
  return copied;
}

function refuse(
  found: string,
  walk: Walk,
  hint = 'Send strings, numbers, booleans, null, plain objects and lists.',
): undefined {
  // The first key names the holder of the whole input.
  const count = walk.problems.push({ path: walk.path.slice(1), found, hint });
  if (count === maxProblems) walk.values = Infinity;
  return undefined;
}
