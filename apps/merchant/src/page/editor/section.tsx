import './editor.css';
import { type ReactNode, useId } from 'react';
import type { SectionName } from '../form/order-sections.ts';
import { editorWords } from '../words/editor.ts';

export interface SectionProps {
  readonly name: SectionName;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

/** Where a part of the form is found by its address. */
export function sectionId(name: SectionName): string {
  return `part-${name}`;
}

/** One part of an order, under its heading. */
export function Section({ name, aside, children }: SectionProps) {
  const id = useId();
  const { title, help } = editorWords[name];
  return (
    <section className="editor-section" id={sectionId(name)} aria-labelledby={id}>
      <div className="editor-section-head">
        <h2 className="editor-section-title" id={id}>
          {title}
        </h2>
        <p className="editor-section-help">{help}</p>
        {aside}
      </div>
      {children}
    </section>
  );
}
