import './editor.css';
import { NativeSelect } from '@mantine/core';
import { currencyCodes } from '@orders/schema';
import { useFormState } from 'react-hook-form';
import type { OrderControl } from '../form/order-control.ts';
import { words } from '../words.ts';
import { FieldMessage } from './field-message.tsx';

const { label, help, none } = words.order.fields.purchase_currency;

/** The browser's own list: it is searched by typing, and is at home on a phone. */
export function CurrencyField({ control }: { readonly control: OrderControl }) {
  const formState = useFormState({ control, name: 'purchase_currency', exact: true });
  const { error } = control.getFieldState('purchase_currency', formState);
  return (
    <NativeSelect
      {...control.register('purchase_currency')}
      label={label}
      description={error ? undefined : help}
      error={error && <FieldMessage error={error} />}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      classNames={{
        root: 'editor-field',
        label: 'editor-label',
        error: 'editor-error',
        description: 'editor-help',
      }}
    >
      <option value="">{none}</option>
      {listCurrencies().map(({ code, name }) => (
        <option key={code} value={code}>
          {name ? `${code} – ${name}` : code}
        </option>
      ))}
    </NativeSelect>
  );
}

function listCurrencies(): { code: string; name: string | undefined }[] {
  const names = new Intl.DisplayNames('en', { type: 'currency', fallback: 'none' });
  return currencyCodes.map((code) => ({ code, name: names.of(code) }));
}
