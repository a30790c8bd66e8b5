import type { Carried } from './order-form.ts';
import { isRecord } from './take-fields.ts';
import { readJson } from './to-order-update.ts';

/** The names of what is carried along; one empty name for something that stands in place of the whole object. */
export function namesOf(carried: Carried): readonly string[] {
  if (carried === '') return [];
  const value = readJson(carried);
  return isRecord(value) ? Object.keys(value) : [''];
}

/** What is carried along without the field of this name. */
export function leaveOut(carried: Carried, name: string): Carried {
  const value = readJson(carried);
  if (!isRecord(value)) return '';
  const left = Object.entries(value).filter(([field]) => field !== name);
  return left.length > 0 ? JSON.stringify(Object.fromEntries(left)) : '';
}
