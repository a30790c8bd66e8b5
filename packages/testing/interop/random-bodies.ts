import { invalidOrderUpdates, orderUpdates } from '@orders/testing/arbitraries';
import fc from 'fast-check';
import { type DocumentedBody, readBody } from './documented-bodies.ts';

/** The same ones in each run, so that a row that fails can be run again. */
const seed = 20_261_121;

/** Valid updates with every documented field and unknown ones, boundaries of the rules among them. */
export function randomUpdates(count: number): readonly { readonly cart: object }[] {
  return fc.sample(orderUpdates(), { seed, numRuns: count });
}

/** Updates that are valid but for one thing. */
export function randomMistakes(count: number): readonly DocumentedBody[] {
  return fc.sample(invalidOrderUpdates({ json: true }), { seed, numRuns: count }).map((mistake, index) =>
    readBody({
      name: `random body ${index}, ${mistake.reason}`,
      body: mistake.body,
      problems: [[mistake.path, mistake.code, undefined]],
      ...(mistake.beyondJsonSchema && { beyondJsonSchema: true }),
    }),
  );
}
