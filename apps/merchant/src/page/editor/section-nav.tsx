import './editor.css';
import { useFormState } from 'react-hook-form';
import { listErrors } from '../form/field-issues.ts';
import type { OrderControl } from '../form/order-control.ts';
import { orderSections, type SectionName, sectionNames } from '../form/order-sections.ts';
import { editorWords } from '../words/editor.ts';
import { sectionId } from './section.tsx';

/** The parts of the form, and how many of their fields need mending. */
export function SectionNav({ control }: { readonly control: OrderControl }) {
  const { errors } = useFormState({ control });
  const names = listErrors(errors).map(({ name }) => name);
  const { label, bad } = editorWords.sections;
  return (
    <nav className="section-nav" aria-label={label}>
      <ul>
        {sectionNames.map((section) => {
          const count = names.filter((name) => isIn(section, name)).length;
          return (
            <li key={section}>
              <a href={`#${sectionId(section)}`} data-bad={count > 0 || undefined}>
                {editorWords[section].title}
                {count > 0 && (
                  <>
                    <span className="section-nav-count" aria-hidden="true">
                      {count}
                    </span>
                    <span className="for-ears">, {bad(count)}</span>
                  </>
                )}
              </a>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

function isIn(section: SectionName, name: string): boolean {
  return orderSections[section].some((field) => name === field || name.startsWith(`${field}.`));
}
