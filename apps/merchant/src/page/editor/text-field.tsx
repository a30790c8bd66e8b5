import './editor.css';
import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { OrderControl } from '../form/order-control.ts';
import type { AmountName, HookName, TextName } from '../form/order-form.ts';
import { FieldMessage } from './field-message.tsx';
import { useFieldError } from './use-field-error.ts';

export interface TextFieldProps {
  readonly control: OrderControl;
  readonly name: TextName | AmountName | `hooks.${HookName}`;
  readonly label: string;
  readonly help: ReactNode;
  readonly inputMode?: 'text' | 'url';
  readonly isNumeric?: boolean;
}

/** How a field of the form looks: label, input, and two lines for what is said of it. */
export const fieldClassNames = {
  root: 'editor-field',
  label: 'editor-label',
  error: 'editor-error',
  description: 'editor-help',
} as const;

/** A labelled field; what is wrong with it takes the place of its help, so that nothing moves. */
export function TextField({ control, name, label, help, inputMode, isNumeric }: TextFieldProps) {
  const error = useFieldError(control, name);
  return (
    <TextInput
      {...control.register(name)}
      label={label}
      description={error ? undefined : help}
      error={error && <FieldMessage error={error} />}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      inputMode={inputMode ?? 'text'}
      data-numeric={isNumeric || undefined}
      autoComplete="off"
      spellCheck={false}
      classNames={fieldClassNames}
    />
  );
}
