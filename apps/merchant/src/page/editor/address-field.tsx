import './editor.css';
import { Button, Input, InputWrapper } from '@mantine/core';
import { useId } from 'react';
import type { OrderFormHandle } from '../form/order-control.ts';
import { editorWords } from '../words/editor.ts';
import { FieldMessage } from './field-message.tsx';
import { Section } from './section.tsx';
import { fieldClassNames } from './text-field.tsx';
import { useFieldError } from './use-field-error.ts';

const { label, help } = editorWords.order.fields.shipping_address;
const { tidy, tidyHelp } = editorWords.address;

/** The shipping address as JSON: its fields are not shown to us, so there is none for each of them. */
export function AddressField({ form }: { readonly form: OrderFormHandle }) {
  const { control } = form;
  const id = useId();
  const error = useFieldError(control, 'shipping_address');

  async function tidyUp(): Promise<void> {
    const { tidyJson } = await import('../paste/tidy-json.ts');
    const before = form.getValues('shipping_address');
    const tidied = tidyJson(before);
    if (tidied === before) return;
    form.setValue('shipping_address', tidied, { shouldDirty: true, shouldValidate: true });
  }

  return (
    <Section
      name="address"
      aside={
        <Button variant="default" size="compact-sm" title={tidyHelp} onClick={() => void tidyUp()}>
          {tidy}
        </Button>
      }
    >
      <InputWrapper
        id={id}
        label={label}
        description={error ? undefined : help}
        error={error && <FieldMessage error={error} />}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        classNames={{ ...fieldClassNames, root: 'editor-field editor-json' }}
      >
        <Input
          {...control.register('shipping_address')}
          component="textarea"
          id={id}
          rows={7}
          multiline
          error={error !== undefined}
          autoComplete="off"
          spellCheck={false}
        />
      </InputWrapper>
    </Section>
  );
}
