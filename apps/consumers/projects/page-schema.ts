/** A page that checks an order while it is typed. */
import { checkOrder, explainBadOrder } from './use-schema.ts';

Object.assign(globalThis, { page: { checkOrder, explainBadOrder } });
