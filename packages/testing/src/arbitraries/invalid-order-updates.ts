import fc from 'fast-check';
import type { Definition, NoDefinition } from './definition.ts';
import { fieldFlaws } from './field-flaws.ts';
import type { Flaw } from './flaw.ts';
import { makePrintable } from './make-printable.ts';
import { notJsonFlaws } from './not-json-flaws.ts';
import { createOrderModel } from './order-model.ts';
import type { OrderUpdatesOptions } from './order-updates.ts';
import { type InvalidCode, type InvalidReason, REASONS, type ReasonFacts } from './reasons.ts';
import { bodiesToSpoil, spoilBody } from './spoil-body.ts';

/** A body with one thing wrong, and what must be said of it. */
export interface InvalidOrderUpdate {
  /** A valid update but for this one thing; no object at all when the body as a whole is what is wrong. */
  readonly body: unknown;
  /** Where: the only path that `explain` of `@orders/schema` reports, such as `cart.items[3].unit_price`. */
  readonly path: string;
  /** Which rule: the code that `explain` reports. */
  readonly code: InvalidCode;
  /** What is wrong, finer than the code, such as `number_in_quotes`. */
  readonly reason: InvalidReason;
  /** Whether JSON text carries the body as it is; `JSON.stringify` throws at others, or changes them. */
  readonly json: boolean;
  /**
   * Whether the JSON Schema of `@orders/schema` cannot tell: it has no words for misspellings and for what is refused
   * before a field is looked at, and knows only what is JSON.
   */
  readonly beyondJsonSchema: boolean;
}

/** What invalid updates look like; every option may be left out. */
export interface InvalidOrderUpdatesOptions<D extends Definition = NoDefinition>
  extends OrderUpdatesOptions<D> {
  /** Whether only bodies occur that JSON text carries, to be sent to a server. @default false */
  readonly json?: boolean;
}

/**
 * Bodies that are valid but for exactly one thing, each with the path that must be reported, and no other.
 *
 * Every rule of `@orders/schema` is broken: what is required, types, fractions, ranges, lengths (interface document,
 * Limits), currencies, URLs, misspelled and misplaced names, and what JSON cannot hold. Own fields of a definition are
 * left as they are, since only its schema knows their rules.
 *
 * @throws {TypeError} As `orderUpdates` does.
 *
 * @example
 * ```ts
 * import { explain, OrderUpdate } from '@orders/schema';
 * import { invalidOrderUpdates } from '@orders/testing/arbitraries';
 * import fc from 'fast-check';
 *
 * fc.assert(
 *   fc.property(invalidOrderUpdates(), ({ body, path, code }) => {
 *     const { error } = OrderUpdate.safeParse(body);
 *     const [problem, ...others] = error ? explain(error) : [];
 *     return problem?.path === path && problem.code === code && others.length === 0;
 *   }),
 * );
 * ```
 */
export function invalidOrderUpdates<const D extends Definition = NoDefinition>(
  options: InvalidOrderUpdatesOptions<D> = {},
): fc.Arbitrary<InvalidOrderUpdate> {
  const { definition, values, unknownFields = true, maxItems = 5, json = false } = options;
  const model = createOrderModel(definition, values);
  const bodies = bodiesToSpoil(model, { unknownFields, maxItems });
  const spoiled = ({ reason, place, spoils }: Flaw): fc.Arbitrary<InvalidOrderUpdate> =>
    fc.tuple(bodies[place], fc.nat(), spoils).map(([body, pick, spoil]) => {
      const { code, json = true, beyondJsonSchema = false }: ReasonFacts = REASONS[reason];
      const found = spoilBody(body, spoil, { place, pick });
      // What JSON cannot hold is often what fast-check cannot print.
      if (code === 'not_serializable') makePrintable(found.body);
      return { ...found, code, reason, json, beyondJsonSchema };
    });

  const flaws = Map.groupBy([...fieldFlaws(model), ...notJsonFlaws(model)], ({ reason }) => reason);
  return fc.oneof(
    ...[...flaws]
      .map(([reason, alike]): [ReasonFacts, Flaw[]] => [REASONS[reason], alike])
      .filter(([facts]) => !json || facts.json !== false)
      .map(([{ weight = 8 }, alike]) => ({ weight, arbitrary: fc.oneof(...alike.map(spoiled)) })),
  );
}
