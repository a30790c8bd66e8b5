import './editor.css';
import { TextInput } from '@mantine/core';
import { useFormState } from 'react-hook-form';
import type { OrderControl } from '../form/order-control.ts';
import type { HookName } from '../form/order-form.ts';
import { FieldMessage } from './field-message.tsx';

export interface TextFieldProps {
  readonly control: OrderControl;
  readonly name: 'order_id' | `hooks.${HookName}`;
  readonly label: string;
  readonly help: string;
  readonly inputMode?: 'text' | 'url';
}

/** A labelled field; what is wrong with it takes the place of its help, so that nothing moves. */
export function TextField({ control, name, label, help, inputMode = 'text' }: TextFieldProps) {
  const formState = useFormState({ control, name, exact: true });
  const { error } = control.getFieldState(name, formState);
  return (
    <TextInput
      {...control.register(name)}
      label={label}
      description={error ? undefined : help}
      error={error && <FieldMessage error={error} />}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      inputMode={inputMode}
      autoComplete="off"
      spellCheck={false}
      classNames={{
        root: 'editor-field',
        label: 'editor-label',
        error: 'editor-error',
        description: 'editor-help',
      }}
    />
  );
}
