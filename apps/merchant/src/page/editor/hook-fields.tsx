import './editor.css';
import type { OrderFormHandle } from '../form/order-control.ts';
import { hookNames } from '../form/order-form.ts';
import { editorWords } from '../words/editor.ts';
import { CarriedFields } from './carried-fields.tsx';
import { Section } from './section.tsx';
import { TextField } from './text-field.tsx';

/** The addresses of the order. */
export function HookFields({ form }: { readonly form: OrderFormHandle }) {
  const { fields } = editorWords.hooks;
  return (
    <Section name="hooks">
      <div className="editor-grid">
        {hookNames.map((name) => (
          <TextField
            key={name}
            control={form.control}
            name={`hooks.${name}`}
            {...fields[name]}
            inputMode="url"
          />
        ))}
      </div>
      <CarriedFields form={form} name="hooks.carried" />
    </Section>
  );
}
