import type {
  DefinedOrderUpdate,
  OrderUpdate,
  OrderUpdateDefinition,
  OrderUpdateFields,
} from '@orders/schema';
import type fc from 'fast-check';

/** The options of `defineOrderUpdate`. */
export type Definition = OrderUpdateDefinition;

/** What is defined when no definition is given. */
export type NoDefinition = Record<never, never>;

/** The update that a definition describes: the type that the schema of `defineOrderUpdate` has. */
export type UpdateOf<D extends Definition> = [keyof D] extends [never] ? OrderUpdate : DefinedOrderUpdate<D>;

/** Values for the fields that a definition adds, by the names under which it adds them. */
export type OwnFieldValues<D extends Definition> = {
  readonly [Place in keyof OrderUpdateFields]?: D extends {
    readonly fields: { readonly [_ in Place]: infer Fields extends Shape };
  }
    ? ValuesIn<Fields>
    : never;
};

type Shape = NonNullable<OrderUpdateFields['order']>;

type ValuesIn<Fields extends Shape> = {
  readonly [Own in keyof Fields]?: fc.Arbitrary<Fields[Own]['_zod']['input']>;
};
