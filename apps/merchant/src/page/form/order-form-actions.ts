import { createContext, useContext } from 'react';
import type { FieldPath } from 'react-hook-form';
import type { OrderControl } from './order-control.ts';
import type { OrderForm } from './order-form.ts';

/** What stands beside the form may do with it. */
export interface OrderFormActions {
  /** The form itself, to watch what is typed. */
  readonly control: OrderControl;
  /** Types a text into a field, as a person would: it is judged, and counts as edited. */
  setField(name: FieldPath<OrderForm>, text: string): void;
  /** The update that the form stands for now; whether it is a good one is for the schema to say. */
  readUpdate(): unknown;
}

const Context = createContext<OrderFormActions | undefined>(undefined);

/** Gives the actions to what is shown beside the form. */
export const OrderFormActionsProvider = Context;

/** @throws Error outside of an order's editor. */
export function useOrderFormActions(): OrderFormActions {
  const actions = useContext(Context);
  if (!actions) throw new Error('There is no editor of an order around this.');
  return actions;
}
