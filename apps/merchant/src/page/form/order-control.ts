import type { OrderUpdate } from '@orders/schema';
import type { Control } from 'react-hook-form';
import type { OrderForm } from './order-form.ts';

/** The form library's handle on the form of one order. */
export type OrderControl = Control<OrderForm, unknown, OrderUpdate>;
