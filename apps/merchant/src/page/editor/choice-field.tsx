import './editor.css';
import { SegmentedControl } from '@mantine/core';
import { useId } from 'react';
import { useController } from 'react-hook-form';
import type { OrderControl } from '../form/order-control.ts';
import type { Choice, ChoiceName } from '../form/order-form.ts';
import { editorWords } from '../words/editor.ts';
import { FieldMessage } from './field-message.tsx';

export interface ChoiceFieldProps {
  readonly control: OrderControl;
  readonly name: ChoiceName;
}

const choices: readonly Choice[] = ['', 'yes', 'no'];

/** Yes, no, or nothing said: a box to tick could not tell the last two apart. */
export function ChoiceField({ control, name }: ChoiceFieldProps) {
  const id = useId();
  const { field, fieldState } = useController({ control, name });
  return (
    <div className="editor-choice">
      <div className="editor-label" id={id}>
        {editorWords.order.fields[name].label}
      </div>
      <SegmentedControl
        value={field.value}
        onChange={field.onChange}
        onBlur={field.onBlur}
        ref={field.ref}
        name={name}
        data={choices.map((value) => ({ value, label: editorWords.order.choices[value] }))}
        aria-labelledby={id}
        fullWidth
      />
      {fieldState.error && (
        <p className="editor-error">
          <FieldMessage error={fieldState.error} />
        </p>
      )}
    </div>
  );
}
