/** A project that only checks orders. */
import assert from 'node:assert/strict';
import { OrderUpdate } from '@orders/schema';
import { compileOrderUpdate } from '@orders/schema/compile';
import { explained } from './facts.ts';
import { checkOrder, explainBadOrder } from './use-schema.ts';

assert.equal(explainBadOrder(), explained);
const checked = checkOrder();
assert.deepEqual(compileOrderUpdate(OrderUpdate).parse(checked), checked);
