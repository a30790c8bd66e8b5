import * as z from 'zod/mini';

/**
 * An object whose unknown fields pass at run time while misspelled literals do not compile.
 * `z.looseObject` would infer an index signature, which lets every misspelling compile.
 */
export function openObject<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
): z.ZodMiniObject<Shape, z.core.$strip> {
  return z.looseObject(shape) as unknown as z.ZodMiniObject<Shape, z.core.$strip>;
}
