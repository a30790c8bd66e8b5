import './shell.css';
import { Link, useLocation } from 'wouter';
import { useUndecided } from '../api/orders.ts';
import { Icon, type IconName } from '../icon.tsx';
import { shellWords } from '../words/shell.ts';

interface NamedView {
  readonly name: 'orders' | 'bulk' | 'switchboard' | 'decisions';
  readonly href: string;
  readonly icon: IconName;
  /** The addresses that belong to the view. */
  readonly holds: RegExp;
}

const views: readonly NamedView[] = [
  { name: 'orders', href: '/', icon: 'list', holds: /^\/(orders\/|$)/ },
  { name: 'bulk', href: '/bulk', icon: 'file', holds: /^\/bulk(\/|$)/ },
  { name: 'switchboard', href: '/switchboard', icon: 'switches', holds: /^\/switchboard$/ },
  { name: 'decisions', href: '/decisions', icon: 'inbox', holds: /^\/decisions$/ },
];

/** The views of the desk, with the number of decisions that wait. */
export function Navigation() {
  const [location] = useLocation();
  const waiting = useUndecided().data?.updates.length ?? 0;
  return (
    <nav className="navigation" aria-label={shellWords.views.label}>
      {views.map(({ name, href, icon, holds }) => (
        <Link
          key={name}
          href={href}
          className="navigation-view"
          aria-current={holds.test(location) ? 'page' : undefined}
        >
          <Icon name={icon} />
          {shellWords.views[name]}
          {name === 'decisions' && waiting > 0 && (
            <span className="navigation-count">
              <span aria-hidden="true">{waiting}</span>
              <span className="for-ears">{shellWords.views.waiting(waiting)}</span>
            </span>
          )}
        </Link>
      ))}
    </nav>
  );
}
