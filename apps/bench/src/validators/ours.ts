import { OrderUpdate } from '@orders/schema';

export const validate = (update: unknown): unknown => OrderUpdate.parse(update);
