/** The outcomes as they are counted, by their place; the first is that of a call which did not settle. */
export const outcomeCodes = ['none', 'applied', 'rejected', 'not_sent', 'unknown'] as const;
