import type { Control, UseFormReturn } from 'react-hook-form';
import type { DeskUpdate } from '../../contract/desk-update.ts';
import type { OrderForm } from './order-form.ts';

/** The form library's handle on the form of one order. */
export type OrderControl = Control<OrderForm, unknown, DeskUpdate>;

/** The form library's form of one order. */
export type OrderFormHandle = UseFormReturn<OrderForm, unknown, DeskUpdate>;
