import * as z from 'zod/mini';

// Made by their classes: what zod's functions besides take as parameters would cost a browser 200 bytes.

/** Any string. */
export const string = (): z.ZodMiniString => new z.ZodMiniString({ type: 'string' });

/** A list of such values. */
export const list = <Item extends z.core.$ZodType>(element: Item): z.ZodMiniArray<Item> =>
  new z.ZodMiniArray({ type: 'array', element }) as z.ZodMiniArray<Item>;

/**
 * An object whose unknown fields pass at run time while misspelled literals do not compile.
 * `z.looseObject` would infer an index signature, which lets every misspelling compile.
 */
export function openObject<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
): z.ZodMiniObject<Shape, z.core.$strip> {
  const catchall = new z.ZodMiniUnknown({ type: 'unknown' });
  return new z.ZodMiniObject({ type: 'object', shape, catchall }) as unknown as z.ZodMiniObject<
    Shape,
    z.core.$strip
  >;
}
