/** Whether two values are the same JSON, in whatever order their fields stand. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every(
      (name) =>
        Object.hasOwn(other, name) &&
        isSameJson(one[name as keyof typeof one], other[name as keyof typeof other]),
    )
  );
}
