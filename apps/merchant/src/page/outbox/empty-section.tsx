import './outbox.css';
import { Icon, type IconName } from '../icon.tsx';

export interface EmptySectionProps {
  readonly icon: IconName;
  readonly title: string;
  readonly text: string;
}

/** Stands where a section has nothing to show, and says why. */
export function EmptySection({ icon, title, text }: EmptySectionProps) {
  return (
    <div className="outbox-empty">
      <Icon name={icon} size={18} />
      <div>
        <p className="outbox-empty-title">{title}</p>
        <p>{text}</p>
      </div>
    </div>
  );
}
