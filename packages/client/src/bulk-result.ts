import type { UpdateOrderResult } from './update-order.ts';

/** What became of one update of a bulk. */
export type BulkResult<Item, Data = unknown> = UpdateOrderResult<Data> & {
  /** Its place in the source, from 0 on. */
  readonly index: number;
  readonly item: Item;
};

/** What was left when a bulk was stopped. */
export interface BulkRest<Item, Data = unknown> {
  /** Results that were not taken from the iteration, those of updates still on their way when it stopped among them. */
  readonly results: readonly BulkResult<Item, Data>[];
  /** Items that were read from the source and not sent. */
  readonly unsent: readonly { readonly index: number; readonly item: Item }[];
}
