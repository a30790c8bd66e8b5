import type { FieldPath } from 'react-hook-form';
import { amountNames, choiceNames, hookNames, numberNames, type OrderForm, textNames } from './order-form.ts';
import { type PathStep, parsePath } from './parse-path.ts';

const shown = new Set<PathStep>([...textNames, ...amountNames, ...choiceNames, 'shipping_address']);
const shownHooks = new Set<PathStep>(hookNames);
const cells = new Set<PathStep>(['type', 'sku', 'name', ...numberNames]);

/**
 * The field that shows what stands at a path such as `cart.items[3].type`: where no field of its own shows it, the one
 * that tells what is carried along there; undefined for the update as a whole.
 */
export function fieldOf(path: string): FieldPath<OrderForm> | undefined {
  const [first, second, index, cell] = parsePath(path);
  if (first === undefined) return undefined;
  if (shown.has(first)) return first as FieldPath<OrderForm>;
  if (first === 'hooks') {
    return second !== undefined && shownHooks.has(second)
      ? (`hooks.${second}` as FieldPath<OrderForm>)
      : 'hooks.carried';
  }
  if (first !== 'cart') return 'carried';
  if (second !== 'items' || typeof index !== 'number') return 'cart.carried';
  const name = cell !== undefined && cells.has(cell) ? (cell === 'type' ? 'kind' : cell) : 'carried';
  return `cart.items.${index}.${name}` as FieldPath<OrderForm>;
}

/** The name of what is meant within a field that tells what is carried along; undefined for every other field. */
export function nameWithin(path: string): string | undefined {
  if (!fieldOf(path)?.endsWith('carried')) return undefined;
  if (/^cart\.items\[\d+\]$/.test(path)) return 'line';
  return path.replace(/^(cart\.items\[\d+\]|cart|hooks)(?=[.[])\.?/, '');
}
