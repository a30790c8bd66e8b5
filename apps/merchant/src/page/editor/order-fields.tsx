import './editor.css';
import type { OrderControl } from '../form/order-control.ts';
import { words } from '../words.ts';
import { ChoiceField } from './choice-field.tsx';
import { CurrencyField } from './currency-field.tsx';
import { Section } from './section.tsx';
import { TextField } from './text-field.tsx';

export interface OrderFieldsProps {
  readonly control: OrderControl;
  /** Names of fields that are sent along without being shown. */
  readonly carried: readonly string[];
}

/** The fields of the order itself. */
export function OrderFields({ control, carried }: OrderFieldsProps) {
  const { title, help, fields } = words.order;
  return (
    <Section title={title} help={help}>
      <div className="editor-grid">
        <TextField control={control} name="order_id" {...fields.order_id} />
        <CurrencyField control={control} />
        <ChoiceField control={control} name="require_shipping" />
        <ChoiceField control={control} name="express_shipping" />
      </div>
      {carried.length > 0 && <p className="editor-carried">{words.order.carried(carried)}</p>}
    </Section>
  );
}
