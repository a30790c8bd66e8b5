import { type Explanation, explain, type OrderUpdateSchema } from '@orders/schema';
import { type Place, readJson } from './read-json.ts';
import type { SyntaxMistake } from './syntax-mistake.ts';

/** One problem of a body, and where it stands in the text. */
export interface PlacedIssue extends Explanation {
  readonly place: Place;
}

/** What is to be said of a pasted body. */
export type BodyReport =
  | { readonly state: 'empty' | 'too_long' }
  | { readonly state: 'broken'; readonly mistake: SyntaxMistake; readonly place: Place }
  | { readonly state: 'refused'; readonly issues: readonly PlacedIssue[] }
  | { readonly state: 'passes'; readonly bytes: number };

/** A longer text would hold up the page while it is explained. */
export const maxLength = 1_000_000;

/** Explains a text as the body of an order update. Never throws. */
export function explainBody(text: string, schema: OrderUpdateSchema): BodyReport {
  if (text.trim() === '') return { state: 'empty' };
  if (text.length > maxLength) return { state: 'too_long' };
  const reading = readJson(text);
  if (!reading.ok) return { state: 'broken', mistake: reading.mistake, place: reading.place };
  const checked = schema.safeParse(reading.value);
  if (checked.success) {
    return { state: 'passes', bytes: new TextEncoder().encode(JSON.stringify(checked.data)).byteLength };
  }
  const explained = explain(checked.error);
  const issues = checked.error.issues.map(({ path }, index) => ({
    ...(explained[index] as Explanation),
    place: reading.find(path),
  }));
  return { state: 'refused', issues: issues.sort((a, b) => a.place.offset - b.place.offset) };
}
