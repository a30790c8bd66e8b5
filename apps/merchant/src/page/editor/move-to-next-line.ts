import { linePlaceName, readLinePlace } from './line-place.ts';

/** Moves from a field of a cart line to the same field of the next line, as a spreadsheet does. */
export function moveToNextLine(input: HTMLInputElement, step: 1 | -1): void {
  const place = readLinePlace(input.name);
  if (!place) return;
  const next = input.form?.elements.namedItem(linePlaceName({ ...place, index: place.index + step }));
  if (!(next instanceof HTMLInputElement)) return;
  next.focus();
  next.select();
}
