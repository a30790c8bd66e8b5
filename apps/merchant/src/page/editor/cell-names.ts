import { type NumberName, numberNames } from '../form/order-form.ts';

/** The columns of a cart, in the order they stand in. */
export const cellNames = ['kind', 'sku', 'name', ...numberNames] as const;
export type CellName = (typeof cellNames)[number];

/** Whether a column holds numbers. */
export function isNumeric(name: CellName): name is NumberName {
  return numberNames.some((one) => one === name);
}
