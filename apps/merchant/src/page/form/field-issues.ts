import type { Explanation } from '@orders/schema';
import { type FieldError, type FieldErrors, type FieldPath, get, set } from 'react-hook-form';
import { fieldOf, nameWithin } from './field-of.ts';
import type { OrderForm } from './order-form.ts';
import { fieldsInOrder } from './order-sections.ts';

/** What is wrong with one field, or with the update as a whole when no field of the form shows it. */
export interface FieldIssue {
  readonly field: FieldPath<OrderForm> | undefined;
  readonly message: string;
  readonly hint: string | undefined;
}

/** Explained issues as the form library keeps errors: each on its field. */
export function toFieldErrors(issues: readonly Explanation[]): FieldErrors<OrderForm> {
  const errors: FieldErrors<OrderForm> = {};
  for (const issue of issues) {
    const name = fieldOf(issue.path) ?? 'root.update';
    const before: FieldError | undefined = get(errors, name);
    // The first issue of a field is the one to mend first; of what is carried, each concerns another part.
    if (!before) set(errors, name, toFieldError(issue));
    else if (isCarried(name)) set(errors, name, withMore(before, toFieldError(issue)));
  }
  return errors;
}

/** The error of one issue. */
function toFieldError({ path, code, message, hint }: Explanation): FieldError {
  const part = nameWithin(path);
  return {
    type: code,
    message: part === undefined ? message : `${part}: ${message}`,
    ...(hint === undefined ? {} : { types: { hint } }),
  };
}

/** What to write instead, where that is known. */
export function hintOf(error: Pick<FieldError, 'types'>): string | undefined {
  const hint = error.types?.['hint'];
  return typeof hint === 'string' ? hint : undefined;
}

/** What else is wrong with what a field stands for, each in a sentence. */
export function moreOf(error: Pick<FieldError, 'types'>): readonly string[] {
  const more = error.types?.['more'];
  return Array.isArray(more) ? more : [];
}

/** Every issue in the order of the form. */
export function listIssues(errors: FieldErrors<OrderForm>): readonly FieldIssue[] {
  return listErrors(errors).map(({ name, error }) => ({
    field: name.startsWith('root.') ? undefined : (name as FieldPath<OrderForm>),
    message: error.message ?? '',
    hint: hintOf(error),
  }));
}

/** An error under the name that the form library keeps it by. */
export interface NamedError {
  readonly name: FieldPath<OrderForm> | `root.${string}`;
  readonly error: FieldError;
}

/** Every error in the order of the form. */
export function listErrors(errors: FieldErrors<OrderForm>): readonly NamedError[] {
  const found: NamedError[] = [];
  for (const name of fieldsInOrder) collect(errors[name], name, found);
  collect(errors.root, 'root', found);
  return found;
}

function collect(errors: unknown, name: string, found: NamedError[]): void {
  if (typeof errors !== 'object' || errors === null) return;
  if ('type' in errors && typeof errors.type === 'string') {
    found.push({ name: name as NamedError['name'], error: errors as FieldError });
    return;
  }
  for (const [key, value] of Object.entries(errors)) collect(value, `${name}.${key}`, found);
}

function isCarried(name: string): boolean {
  return /(^|\.)carried$/.test(name);
}

function withMore(error: FieldError, { message, types }: FieldError): FieldError {
  const sentence = [`${message}.`, types?.['hint']].filter(Boolean).join(' ');
  return { ...error, types: { ...error.types, more: [...moreOf(error), sentence] } };
}
