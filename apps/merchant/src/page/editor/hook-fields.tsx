import './editor.css';
import type { OrderControl } from '../form/order-control.ts';
import { hookNames } from '../form/order-form.ts';
import { words } from '../words.ts';
import { Section } from './section.tsx';
import { TextField } from './text-field.tsx';

/** The addresses of the order. */
export function HookFields({ control }: { readonly control: OrderControl }) {
  const { title, help, fields } = words.hooks;
  return (
    <Section title={title} help={help}>
      <div className="editor-grid">
        {hookNames.map((name) => (
          <TextField key={name} control={control} name={`hooks.${name}`} {...fields[name]} inputMode="url" />
        ))}
      </div>
    </Section>
  );
}
