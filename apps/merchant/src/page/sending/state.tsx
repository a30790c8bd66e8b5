import './dock.css';
import type { ReactNode } from 'react';
import type { Outcome } from '../../contract/update-report.ts';
import { Icon, type IconName } from '../icon.tsx';

export interface StateProps {
  readonly tone: Outcome | 'plain';
  readonly icon: IconName;
  readonly title: ReactNode;
  readonly text: ReactNode;
  readonly children?: ReactNode;
}

/** How things stand: a mark, a word, a sentence, and the facts beside it. */
export function State({ tone, icon, title, text, children }: StateProps) {
  return (
    <div className="dock-state" data-tone={tone}>
      <span className="dock-mark">
        <Icon name={icon} size={18} />
      </span>
      <div className="dock-said">
        <p className="dock-title">{title}</p>
        <div className="dock-text">{text}</div>
      </div>
      {children}
    </div>
  );
}
