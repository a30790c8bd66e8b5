/** Where in the cart a field is: the index of its line, and the name of its column. */
export interface LinePlace {
  readonly index: number;
  readonly cell: string;
}

/** Reads the name of a field of a line; undefined for every other field. */
export function readLinePlace(name: string): LinePlace | undefined {
  const [, index, cell] = /^cart\.items\.(\d+)\.(\w+)$/.exec(name) ?? [];
  return index === undefined || cell === undefined ? undefined : { index: Number(index), cell };
}

/** The name of a field of a line. */
export function linePlaceName({ index, cell }: LinePlace): string {
  return `cart.items.${index}.${cell}`;
}
