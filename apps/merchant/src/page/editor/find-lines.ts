import type { FormLine } from '../form/order-form.ts';

/** The indexes of the lines that have a text in SKU, name or type, in either case; none for no text. */
export function findLines(
  lines: readonly Pick<FormLine, 'sku' | 'name' | 'kind'>[],
  text: string,
): readonly number[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return [];
  return lines.flatMap(({ sku, name, kind }, index) =>
    [sku, name, kind].some((held) => held.toLowerCase().includes(wanted)) ? [index] : [],
  );
}
