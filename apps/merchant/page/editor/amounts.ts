/** Amounts of this shop are typed in major units: 258.00 is sent as 25800. */
export const amounts = { decimals: 2 };
