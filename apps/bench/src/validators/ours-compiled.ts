import { OrderUpdate } from '@orders/schema';
import { compileOrderUpdate } from '@orders/schema/compile';

const Compiled = compileOrderUpdate(OrderUpdate);

/** As `@orders/client` checks an update where code may be evaluated. */
export const validate = (update: unknown): unknown => Compiled.parse(update);
