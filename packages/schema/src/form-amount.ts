/** How a form writes amounts. */
export interface AmountFormat {
  /** How many decimals of a written amount are part of the integer that is sent. */
  readonly decimals: number;
  readonly separator: '.' | ',';
}

/** The reason why text is not an amount. */
export type AmountProblem = 'invalid_amount' | 'group_separator' | 'too_many_decimals';

/**
 * Reads an amount as the integer that is sent, by its digits alone: nothing is rounded or dropped. The result is not a
 * safe integer when JavaScript cannot hold it exactly.
 */
export function readAmount(text: string, { decimals, separator }: AmountFormat): number | AmountProblem {
  const written = text.trim();
  const [, sign, whole = '', mark, fraction = ''] = /^(-?)(\d+)(?:([.,])(\d+))?$/.exec(written) ?? [];
  if (sign === undefined) return /^-?\d[\d\s.,'’]*\d$/.test(written) ? 'group_separator' : 'invalid_amount';
  if (fraction.length > decimals) return 'too_many_decimals';
  // With three decimals or more, the other mark may group digits: "1,299" may be 1299.
  if (decimals > 2 && mark && mark !== separator) return 'group_separator';
  // Adding 0 turns -0 into 0.
  return Number(sign + whole + fraction.padEnd(decimals, '0')) + 0;
}

/** Writes the integer that is sent, as `readAmount` reads it. */
export function formatAmount(amount: number, { decimals, separator }: AmountFormat): string {
  const digits = String(Math.abs(amount)).padStart(decimals + 1, '0');
  const end = digits.length - decimals;
  return (amount < 0 ? '-' : '') + digits.slice(0, end) + (decimals > 0 ? separator + digits.slice(end) : '');
}
