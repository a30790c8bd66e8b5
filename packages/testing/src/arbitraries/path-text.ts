export type Path = readonly (string | number)[];

/** A path as `explain` of `@orders/schema` writes it: `cart.items[3].unit_price`, `shipping_address["a b"]`. */
export function pathText(path: Path): string {
  return path
    .map((segment, index) => {
      if (typeof segment === 'number') return `[${segment}]`;
      const isWord = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(segment);
      if (!isWord) return `[${JSON.stringify(segment)}]`;
      return index === 0 ? segment : `.${segment}`;
    })
    .join('');
}
