import './shell.css';
import type { ReactNode } from 'react';
import { Icon, type IconName } from '../icon.tsx';

export interface NoticeProps {
  readonly icon: IconName;
  readonly title: string;
  readonly text: string;
  /** What can be done about it. */
  readonly children?: ReactNode;
}

/** Stands where a view has nothing to show, and says why. */
export function Notice({ icon, title, text, children }: NoticeProps) {
  return (
    <div className="notice">
      <span className="notice-mark">
        <Icon name={icon} size={22} />
      </span>
      <h1 className="notice-title">{title}</h1>
      <p className="notice-text">{text}</p>
      {children}
    </div>
  );
}
