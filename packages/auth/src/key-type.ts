/**
 * The type of a key. Updating an order requires `SalesChannelApiKey` (interface document,
 * Authentication); other types are not shown, so any string passes.
 */
export type KeyType = 'SalesChannelApiKey' | (string & {});
