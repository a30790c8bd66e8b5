/** Moves from a field of a cart line to the same field of the next line, as a spreadsheet does. */
export function moveToNextLine(input: HTMLInputElement, step: 1 | -1): void {
  const [, index, field] = /^cart\.items\.(\d+)\.(\w+)$/.exec(input.name) ?? [];
  const name = `cart.items.${Number(index) + step}.${field}`;
  const next = input.form?.elements.namedItem(name);
  if (!(next instanceof HTMLInputElement)) return;
  next.focus();
  next.select();
}
