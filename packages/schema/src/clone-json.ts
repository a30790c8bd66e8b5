/** A value that JSON cannot hold: its path, what it is (`NaN`, `a cycle`), and what to send instead. */
export interface NonJsonValue {
  readonly path: PropertyKey[];
  readonly found: string;
  readonly hint: string;
}

// Larger or deeper input is refused: it could exhaust the stack or the memory, or take forever.
const maxDepth = 256;
const maxValues = 100_000;
const maxProblems = 100;

interface CloneState {
  readonly problems: NonJsonValue[];
  readonly path: PropertyKey[];
  readonly ancestors: object[];
  values: number;
}

/**
 * Copies `input` into plain objects and lists, and reads every property once, so that the checked value is the one that
 * is sent. A field that is `undefined` counts as absent, as in JSON. Whatever else JSON would silently change or drop is
 * a problem, and missing from the copy. Input beyond a limit is `undefined` as a whole.
 */
export function cloneJson(input: unknown): {
  readonly value: unknown;
  readonly problems: readonly NonJsonValue[];
} {
  const state: CloneState = { problems: [], path: [], ancestors: [], values: 0 };
  const value = cloneProperty({ root: input }, 'root', state);
  if (state.values <= maxValues) return { value, problems: state.problems };
  report(`more than ${maxValues} values, or ${maxProblems} problems at once`, state, 'Send less at once.');
  return { value: undefined, problems: state.problems };
}

function cloneProperty(source: object, key: string | number, state: CloneState): unknown {
  const depth = state.ancestors.length;
  state.path.push(key);
  let cloned: unknown;
  try {
    // Every read counts: a hostile list may be endless and throw at each of them.
    if (++state.values <= maxValues) {
      const value: unknown = source[key as keyof typeof source];
      if (key === '__proto__') report('a field of this name', state, 'Leave it out.');
      else if (value !== undefined || typeof key === 'number') cloned = cloneValue(value, state);
    }
  } catch {
    // Getters and proxies run foreign code, which may throw at any read.
    state.ancestors.length = depth;
    report('a value that throws when it is read', state);
  }
  state.path.pop();
  return cloned;
}

function cloneValue(value: unknown, state: CloneState): unknown {
  const type = typeof value;
  if (value === null || type === 'string' || type === 'boolean' || Number.isFinite(value)) return value;
  if (typeof value === 'object') return cloneObject(value, state);
  return report(type === 'number' ? String(value) : `a value of type ${type}`, state, hints[type]);
}

const hints: Partial<Record<string, string>> = {
  bigint: 'Send Number(value), if that is a safe integer.',
  number: 'Send a finite number: look at what computes it.',
  undefined: 'Leave it out.',
};

function cloneObject(value: object, state: CloneState): unknown {
  if (state.ancestors.includes(value)) return report('a cycle', state, 'Leave it out.');
  if (state.ancestors.length === maxDepth) return report(`nesting deeper than ${maxDepth} levels`, state);
  state.ancestors.push(value);
  const cloned = Array.isArray(value) ? cloneList(value, state) : cloneFields(value, state);
  state.ancestors.pop();
  return cloned;
}

function cloneList(list: readonly unknown[], state: CloneState): unknown {
  const cloned: unknown[] = [];
  for (let index = 0; index < list.length && state.values <= maxValues; index++) {
    cloned.push(cloneProperty(list, index, state));
  }
  return cloned;
}

function cloneFields(source: object, state: CloneState): unknown {
  if (!isPlainObject(source)) {
    const name = String(source.constructor?.name || 'a class').slice(0, 40);
    return report(`an instance of ${name}`, state, 'Send a plain object, a list or a string.');
  }
  const cloned: Record<string, unknown> = {};
  for (const name of Object.keys(source)) {
    const field = cloneProperty(source, name, state);
    if (field !== undefined) cloned[name] = field;
  }
  return cloned;
}

/** Whether a value is an object without a class. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // The `Object.prototype` of another realm is not ours.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function report(
  found: string,
  state: CloneState,
  hint = 'Send strings, numbers, booleans, null, plain objects and lists.',
): undefined {
  // The first key is that of the object around the whole input.
  const count = state.problems.push({ path: state.path.slice(1), found, hint });
  if (count === maxProblems) state.values = Infinity;
  return undefined;
}

const maxFastDepth = 64;
const maxFastValues = 50_000;

/** Thrown where `cloneJson` has to read the input, because it knows the path of a problem. */
const bail = Symbol('bail');

/**
 * Copies plain JSON as `cloneJson` does, several times faster, since it keeps no path. Returns `undefined` for anything
 * else, and for large or deep input, which may be a cycle.
 */
export function cloneJsonFast(input: unknown): object | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  // `Object.prototype` may have an enumerable property, which every `for ... in` below would meet.
  for (const _ in {}) return undefined;
  try {
    return cloneObjectFast(input, 0, { values: 0 });
  } catch {
    return undefined;
  }
}

function cloneObjectFast(source: object, depth: number, count: { values: number }): object {
  if (Array.isArray(source)) return cloneListFast(source, depth, count);
  if (!hasNoClass(source)) throw bail;
  return cloneFieldsFast({ ...source }, depth, count);
}

function hasNoClass(source: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(source);
  return prototype === null || prototype === Object.prototype;
}

function cloneListFast(list: readonly unknown[], depth: number, count: { values: number }): unknown[] {
  const { length } = list;
  count.values += length;
  if (depth > maxFastDepth || count.values > maxFastValues) throw bail;
  const cloned: unknown[] = [];
  for (let index = 0; index < length; index++) {
    const value = list[index];
    const isFields =
      typeof value === 'object' && value !== null && !Array.isArray(value) && hasNoClass(value);
    // Copied here, where objects are alike: an engine copies many times faster where it meets few kinds.
    cloned.push(
      isFields ? cloneFieldsFast({ ...value }, depth + 1, count) : cloneValueFast(value, depth, count),
    );
  }
  return cloned;
}

/** Replaces what a copy holds by copies. */
function cloneFieldsFast(fields: Record<string, unknown>, depth: number, count: { values: number }): object {
  if (depth > maxFastDepth || count.values > maxFastValues) throw bail;
  let hasUndefined = false;
  for (const name in fields) {
    count.values++;
    const value = fields[name];
    if (name === '__proto__') throw bail;
    if (value === undefined) hasUndefined = true;
    else if (typeof value !== 'string') {
      const cloned = cloneValueFast(value, depth, count);
      if (cloned !== value) fields[name] = cloned;
    }
  }
  return hasUndefined ? withoutUndefined(fields) : fields;
}

/** A field that is `undefined` counts as absent. */
function withoutUndefined(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const present: Record<string, unknown> = {};
  for (const name in fields) {
    const value = fields[name];
    if (value !== undefined) present[name] = value;
  }
  return present;
}

function cloneValueFast(value: unknown, depth: number, count: { values: number }): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (Number.isFinite(value)) return value;
      throw bail;
    case 'object':
      return value === null ? null : cloneObjectFast(value, depth + 1, count);
    default:
      throw bail;
  }
}
