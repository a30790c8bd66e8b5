/**
 * Reads a number as it was typed. Whatever a number cannot hold exactly stays text, so that the
 * schema says what is wrong with it: nothing typed is rounded or dropped on the way there.
 */
export function readNumber(typed: string): number | string {
  const text = typed.trim();
  if (!/^-?\d+(\.\d+)?$/.test(text)) return typed;
  const number = Number(text);
  const [, fraction = ''] = text.split('.');
  const hasLostFraction = Number.isInteger(number) && /[1-9]/.test(fraction);
  return hasLostFraction || !Number.isFinite(number) ? typed : number;
}
