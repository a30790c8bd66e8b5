import './editor.css';
import { fieldNames } from '../../contract/desk-update.ts';
import type { OrderFormHandle } from '../form/order-control.ts';
import { editorWords } from '../words/editor.ts';
import { CarriedFields } from './carried-fields.tsx';
import { Section } from './section.tsx';
import { TextField } from './text-field.tsx';

/** The free-form strings, and what goes along without a field of its own. */
export function MoreFields({ form }: { readonly form: OrderFormHandle }) {
  const { fields } = editorWords.order;
  return (
    <Section name="more">
      <div className="editor-grid">
        {fieldNames.metadata.map((name) => (
          <TextField key={name} control={form.control} name={name} {...fields[name]} />
        ))}
      </div>
      <CarriedFields form={form} name="carried" />
    </Section>
  );
}
