import './editor.css';
import { type ReactNode, useId } from 'react';

export interface SectionProps {
  readonly title: string;
  readonly help: string;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

/** One part of an order, under its heading. */
export function Section({ title, help, aside, children }: SectionProps) {
  const id = useId();
  return (
    <section className="editor-section" aria-labelledby={id}>
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
