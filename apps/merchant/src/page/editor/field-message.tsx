import './editor.css';
import type { FieldError } from 'react-hook-form';
import { hintOf } from '../form/field-issues.ts';

/** What is wrong with a field, and what to write instead. */
export function FieldMessage({ error }: { readonly error: FieldError }) {
  return (
    <>
      <strong className="editor-message">{error.message}.</strong> {hintOf(error)}
    </>
  );
}
