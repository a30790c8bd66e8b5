import { type BodyCase, definedBodies, invalidBodies, validBodies } from '../../schema/test/bodies.ts';

/** A body as it is on the wire, and where the documents find fault with it. */
export interface DocumentedBody {
  readonly name: string;
  readonly json: string;
  /** Where, such as `cart/items/0`; nothing when it passes. What lacks a field is told by its own place. */
  readonly places: readonly string[];
  /** Whether the schema refuses it all the same: JSON Schema counts no edits. */
  readonly isBeyond: boolean;
}

/** The table that the schema's own tests are made of. */
export const bodies = [...validBodies, ...invalidBodies].map(readBody);

/** The same for the schema of `definition`. */
export const bodiesAsDefined = definedBodies.map(readBody);

/** A row of that table as it is on the wire. */
export function readBody({ name, body, problems, beyondJsonSchema }: BodyCase): DocumentedBody {
  const isBeyond = beyondJsonSchema === true;
  const places = isBeyond ? [] : problems.map(([path, code]) => placeOf(path, code));
  return { name, json: JSON.stringify(body), places: unique(places), isBeyond };
}

function placeOf(path: string, code: string): string {
  const segments = path.split(/[.[\]]+/).filter((segment) => segment !== '');
  return segments.slice(0, code === 'required' ? -1 : undefined).join('/');
}

/** In an order that does not depend on who looked. */
export function unique(places: readonly string[]): readonly string[] {
  return [...new Set(places)].sort();
}
