import type { DefinedOrderUpdate, defineOrderUpdate, OrderUpdate } from '@orders/schema';
import type fc from 'fast-check';

/** Anything that `defineOrderUpdate` takes. */
export type Definition = NonNullable<Parameters<typeof defineOrderUpdate>[0]>;

/** What is defined when no definition is given. */
export type NoDefinition = Record<never, never>;

type Shape = NonNullable<Definition['extra']>;
type ShapeField = 'extra' | 'cartExtra' | 'cartItemExtra' | 'hooksExtra';

type Given<D, Field extends string> = Field extends keyof D ? Exclude<D[Field], undefined> : never;
type Name<D, Field extends string> = Extract<Given<D, Field>, string>;
type MetadataName<D> =
  Given<D, 'metadata'> extends infer Names extends readonly string[] ? Names[number] : never;
type ShapeIn<D, Field extends ShapeField> = [Given<D, Field>] extends [never]
  ? NoDefinition
  : Given<D, Field> extends infer Fields extends Shape
    ? Fields
    : NoDefinition;

/** The update that a definition describes: the type that the schema of `defineOrderUpdate` has. */
export type UpdateOf<D extends Definition> = [keyof D] extends [never]
  ? OrderUpdate
  : DefinedOrderUpdate<
      MetadataName<D> | Name<D, 'qrSessionId'>,
      Name<D, 'totalAmount'> | Name<D, 'vatAmount'>,
      ShapeIn<D, 'extra'>,
      ShapeIn<D, 'cartExtra'>,
      ShapeIn<D, 'cartItemExtra'>,
      ShapeIn<D, 'hooksExtra'>
    >;

/** Values for the fields that a definition adds, by the names under which it adds them. */
export type OwnFieldValues<D extends Definition> = {
  readonly [Field in ShapeField]?: [Given<D, Field>] extends [never] ? never : ValuesIn<ShapeIn<D, Field>>;
};

type ValuesIn<Fields extends Shape> = {
  readonly [Own in keyof Fields]?: fc.Arbitrary<Fields[Own]['_zod']['input']>;
};
