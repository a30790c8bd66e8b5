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
  /** Such as `cart/items/0`, none when the body is valid. A missing field counts for the object that lacks it. */
  readonly places: readonly string[];
  /** Whether our schema alone refuses it, for a rule that JSON Schema cannot express. */
  readonly isBeyondJsonSchema: boolean;
}

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

export function sortUnique(places: readonly string[]): readonly string[] {
  return [...new Set(places)].sort();
}

function toJsonBody({ name, body, problems, beyondJsonSchema }: BodyCase): JsonBody {
  const isBeyondJsonSchema = beyondJsonSchema === true;
  const places = isBeyondJsonSchema ? [] : problems.map(([path, code]) => placeOf(path, code));
  return { name, json: JSON.stringify(body), places: sortUnique(places), isBeyondJsonSchema };
}

function placeOf(path: string, code: string): string {
  const segments = path.split(/[.[\]]+/).filter((segment) => segment !== '');
  return segments.slice(0, code === 'required' ? -1 : undefined).join('/');
}
