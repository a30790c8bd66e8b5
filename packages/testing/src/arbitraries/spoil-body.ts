import type fc from 'fast-check';
import { anyIndex, type Holder, type Place, type Spoil } from './flaw.ts';
import type { OrderModel } from './order-model.ts';
import { type Path, pathText } from './path-text.ts';
import { type BodyLimits, type Fields, validBodies } from './valid-bodies.ts';

/** Valid bodies to spoil, by what is spoiled in them: they have a line, or hooks, where one is needed. */
export function bodiesToSpoil(
  model: OrderModel,
  { maxItems, unknownFields }: BodyLimits,
): Readonly<Record<Place, fc.Arbitrary<Fields>>> {
  const bodies = (always: BodyLimits['always'] = []) =>
    validBodies('order', model, { unknownFields, maxItems, always });
  const [plain, withHooks] = [bodies(), bodies(['hooks'])];
  const withItems = validBodies('order', model, {
    unknownFields,
    // Something wrong with a line takes a line.
    maxItems: maxItems === 0 ? 1 : maxItems,
    always: ['items'],
  });
  return { box: plain, order: plain, cart: plain, items: withItems, item: withItems, hooks: withHooks };
}

/** Spoils a copy, since fast-check shrinks what it gave. */
export function spoilBody(
  valid: Fields,
  spoil: Spoil,
  { place, pick }: { readonly place: Place; readonly pick: number },
): { readonly body: unknown; readonly path: string } {
  const box: Holder = { body: structuredClone(valid) };
  const path = pathTo(place, box, pick);
  const holder = path.reduce<Holder>((holder, key) => holder[key] as Holder, box);
  const [, ...found] = spoil(holder, path);
  return { body: box['body'], path: pathText(found) };
}

function pathTo(place: Place, { body }: Holder, pick: number): Path {
  switch (place) {
    case 'box':
      return [];
    case 'order':
      return ['body'];
    case 'hooks':
      return ['body', 'hooks'];
    case 'cart':
      return ['body', 'cart'];
    case 'items':
      return ['body', 'cart', 'items'];
    case 'item': {
      const { cart } = body as { readonly cart: { readonly items: readonly object[] } };
      return ['body', 'cart', 'items', anyIndex(cart.items, pick)];
    }
  }
}
