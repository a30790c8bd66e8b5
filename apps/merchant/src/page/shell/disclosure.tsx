import '../app.css';
import { type ReactNode, useId, useState } from 'react';
import { Icon } from '../icon.tsx';

export interface DisclosureProps {
  readonly title: string;
  /** What can be done without opening it. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

/** Shows more under a title when it is asked for; until then it is not drawn. */
export function Disclosure({ title, aside, children }: DisclosureProps) {
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className="disclosure">
      <div className="disclosure-head">
        <button
          type="button"
          className="disclosure-title"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setIsOpen(!isOpen)}
        >
          <Icon name="chevron" size={12} />
          {title}
        </button>
        {aside}
      </div>
      <div id={id}>{isOpen && children}</div>
    </div>
  );
}
