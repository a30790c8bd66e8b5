/** One step of a path: the name of a field, or the index of a list. */
export type PathStep = string | number;

const step = /\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|\.?([\p{L}_$][\p{L}\p{N}_$-]*)/gu;

/** Reads a path as `explain` of `@orders/schema` writes it: `cart.items[3].unit_price`, `["a b"]`. */
export function parsePath(path: string): readonly PathStep[] {
  return [...path.matchAll(step)].map(([, index, quoted, name]) => {
    if (index !== undefined) return Number(index);
    return quoted === undefined ? (name ?? '') : String(JSON.parse(quoted));
  });
}
