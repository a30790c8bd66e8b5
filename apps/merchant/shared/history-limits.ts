/** How many updates of an order are shown: at first, and at most. */
export const historyLimits = { first: 20, most: 200 } as const;
