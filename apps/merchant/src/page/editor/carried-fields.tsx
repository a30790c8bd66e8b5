import './editor.css';
import { ActionIcon } from '@mantine/core';
import { useWatch } from 'react-hook-form';
import { moreOf } from '../form/field-issues.ts';
import type { OrderFormHandle } from '../form/order-control.ts';
import { leaveOut, namesOf } from '../form/read-carried.ts';
import { Icon } from '../icon.tsx';
import { editorWords } from '../words/editor.ts';
import { FieldMessage } from './field-message.tsx';
import { useFieldError } from './use-field-error.ts';

export interface CarriedFieldsProps {
  readonly form: OrderFormHandle;
  readonly name: 'carried' | 'hooks.carried' | 'cart.carried';
}

/** What an object holds besides the fields that are shown: it goes along as it is, or is left out. */
export function CarriedFields({ form, name }: CarriedFieldsProps) {
  const { control } = form;
  const carried = useWatch({ control, name, exact: true });
  const error = useFieldError(control, name);
  const names = namesOf(carried);
  if (names.length === 0 && !error) return null;
  const { title, leaveOut: leaveOutLabel, inPlace } = editorWords.carried;
  return (
    <div className="carried" data-field={name} tabIndex={-1}>
      <p className="editor-label">{title}</p>
      <ul className="carried-list">
        {names.map((field) => (
          <li key={field} className="carried-field">
            <code>{field === '' ? inPlace : field}</code>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              aria-label={leaveOutLabel(field === '' ? inPlace : field)}
              onClick={() =>
                form.setValue(name, leaveOut(carried, field), { shouldDirty: true, shouldValidate: true })
              }
            >
              <Icon name="cross" size={12} />
            </ActionIcon>
          </li>
        ))}
      </ul>
      {error && (
        <div className="editor-error">
          <p>
            <FieldMessage error={error} />
          </p>
          {moreOf(error).map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </div>
      )}
    </div>
  );
}
