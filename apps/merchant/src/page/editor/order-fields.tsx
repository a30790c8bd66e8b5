import './editor.css';
import { fieldNames } from '../../contract/desk-update.ts';
import type { OrderControl } from '../form/order-control.ts';
import { editorWords } from '../words/editor.ts';
import { ChoiceField } from './choice-field.tsx';
import { CurrencyField } from './currency-field.tsx';
import { Section } from './section.tsx';
import { TextField } from './text-field.tsx';

const { fields } = editorWords.order;
const { totalAmount, vatAmount } = fieldNames;

/** The fields of the order itself. */
export function OrderFields({ control }: { readonly control: OrderControl }) {
  return (
    <Section name="order">
      <div className="editor-grid">
        <TextField control={control} name="order_id" {...fields.order_id} />
        <CurrencyField control={control} />
        <ChoiceField control={control} name="require_shipping" />
        <ChoiceField control={control} name="express_shipping" />
        <TextField control={control} name={totalAmount} {...fields[totalAmount]} isNumeric />
        <TextField control={control} name={vatAmount} {...fields[vatAmount]} isNumeric />
      </div>
    </Section>
  );
}
