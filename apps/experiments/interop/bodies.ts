import { orderUpdates } from '@orders/testing/arbitraries';
import fc from 'fast-check';
import {
  type BodyCase,
  definedBodies,
  invalidBodies,
  validBodies,
} from '../../../packages/schema/test/bodies.ts';
import { invalidOrderUpdates } from '../../../packages/testing/test/arbitraries/invalid-order-updates.ts';

/** A body as it is on the wire, and where its JSON Schema refuses it. */
export interface JsonBody {
  readonly name: string;
  readonly json: string;
  /** Such as `cart/items/0`, none when the body is valid. A missing or a misplaced field counts for its object. */
  readonly places: readonly string[];
  /** The fields at a wrong level. */
  readonly misplaced: readonly string[];
  /** Whether our schema alone refuses it, for a rule that JSON Schema cannot express. */
  readonly isBeyondJsonSchema: boolean;
}

/** What is wrong about a name, and so about the object that has it. */
const forObject = ['misplaced', 'not_supported'];

/** The cases that the schema's own tests use. */
export const bodies = [...validBodies, ...invalidBodies].map(toJsonBody);

/** The same for the schema of `definition`. */
export const bodiesAsDefined = definedBodies.map(toJsonBody);

/** The same ones in each run, so that a failure can be repeated. */
const seed = 20_261_121;

/** Valid updates with every documented field and unknown ones, at the limits of the rules too. */
export function sampleUpdates(count: number): readonly { readonly cart: object }[] {
  return fc.sample(orderUpdates(), { seed, numRuns: count });
}

/** Updates that are valid but for one mistake. */
export function sampleMistakes(count: number): readonly JsonBody[] {
  const mistakes = invalidOrderUpdates().filter(({ json }) => json);
  return fc.sample(mistakes, { seed, numRuns: count }).map((mistake, index) =>
    toJsonBody({
      name: `random body ${index}, ${mistake.code}`,
      body: mistake.body,
      problems: [[mistake.path, mistake.code, undefined]],
      ...(mistake.beyondJsonSchema && { beyondJsonSchema: true }),
    }),
  );
}

function sortUnique(places: readonly string[]): readonly string[] {
  return [...new Set(places)].sort();
}

/** Where a validator found mistakes: some report the name of a misplaced field (`propertyNames`), some its object, some both. */
export function placesFound(found: readonly string[], { misplaced }: JsonBody): readonly string[] {
  return sortUnique(found.map((place) => (misplaced.includes(place) ? parentOf(place) : place)));
}

function toJsonBody({ name, body, problems, beyondJsonSchema }: BodyCase): JsonBody {
  const isBeyondJsonSchema = beyondJsonSchema === true;
  const known = isBeyondJsonSchema ? [] : problems.map(([path, code]) => ({ place: placeOf(path), code }));
  const misplaced = known.filter(({ code }) => forObject.includes(code)).map(({ place }) => place);
  const places = known.map(({ place, code }) =>
    code === 'required' || forObject.includes(code) ? parentOf(place) : place,
  );
  return { name, json: JSON.stringify(body), places: sortUnique(places), misplaced, isBeyondJsonSchema };
}

function placeOf(path: string): string {
  return path
    .split(/[.[\]]+/)
    .filter((segment) => segment !== '')
    .join('/');
}

function parentOf(place: string): string {
  return place.slice(0, Math.max(0, place.lastIndexOf('/')));
}
