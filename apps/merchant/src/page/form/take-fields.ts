import { readNumber } from '../../contract/read-number.ts';
import type { Carried, Choice } from './order-form.ts';

/** Tells a value as it would be typed; undefined when nothing typed stands for it. */
type Tell<Typed> = (value: unknown) => Typed | undefined;

/** The fields of one object of an update, taken one by one; what is left in the end is carried along. */
export interface FieldTaker {
  /** Takes a field; one that is absent, or cannot be told, counts as `none`, and the latter is left. */
  take<Typed>(name: string, tell: Tell<Typed>, none: Typed): Typed;
  /** What was not taken, as JSON text. */
  left(): Carried;
}

/** Takes the fields of an object, which stays as it is. */
export function takeFieldsOf(source: object): FieldTaker {
  const fields = new Map<string, unknown>(Object.entries(source));
  return {
    take(name, tell, none) {
      const told = fields.has(name) ? tell(fields.get(name)) : undefined;
      if (told === undefined) return none;
      fields.delete(name);
      return told;
    },
    left: () => (fields.size > 0 ? JSON.stringify(Object.fromEntries(fields)) : ''),
  };
}

/** A field of text. A number that text holds exactly is taken for that text. */
export const tellText: Tell<string> = (value) => {
  if (typeof value === 'string') return value;
  return Number.isSafeInteger(value) ? String(value) : undefined;
};

/** A field for a number. Text stays as it is: whether it is a number is for the schema to say. */
export const tellNumber: Tell<string> = (value) => {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  return typeof value === 'number' && readNumber(String(value)) === value ? String(value) : undefined;
};

/** A field that holds or does not hold. */
export const tellChoice: Tell<Choice> = (value) =>
  typeof value === 'boolean' ? (value ? 'yes' : 'no') : undefined;

/** A field of free JSON, set out to be read. */
export const tellJson: Tell<string> = (value) => JSON.stringify(value, null, 2);

/** Whether a value is an object with fields: neither null nor a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
