import './shell.css';
import { Link, useLocation } from 'wouter';
import type { SendsThrough } from '../../contract/outbox-view.ts';
import { useUndecided } from '../api/orders.ts';
import { Icon, type IconName } from '../icon.tsx';
import { readSendsThrough } from '../sends-through.ts';
import { shellWords } from '../words/shell.ts';

interface NamedView {
  readonly name: 'orders' | 'bulk' | 'switchboard' | 'decisions' | 'outbox';
  readonly href: string;
  readonly icon: IconName;
  /** The addresses that belong to the view. */
  readonly holds: RegExp;
}

/** Where updates are that wait for a person. */
const inboxes: Readonly<Record<SendsThrough, NamedView>> = {
  client: { name: 'decisions', href: '/decisions', icon: 'inbox', holds: /^\/decisions$/ },
  outbox: { name: 'outbox', href: '/outbox', icon: 'upload', holds: /^\/outbox$/ },
};

const views: readonly NamedView[] = [
  { name: 'orders', href: '/', icon: 'list', holds: /^\/(orders\/|$)/ },
  { name: 'bulk', href: '/bulk', icon: 'file', holds: /^\/bulk(\/|$)/ },
  { name: 'switchboard', href: '/switchboard', icon: 'switches', holds: /^\/switchboard$/ },
];

/** The views of the desk, with the number of decisions that wait. */
export function Navigation() {
  const [location] = useLocation();
  const waiting = useUndecided().data?.updates.length ?? 0;
  return (
    <nav className="navigation" aria-label={shellWords.views.label}>
      {[...views, inboxes[readSendsThrough()]].map(({ name, href, icon, holds }) => (
        <Link
          key={name}
          href={href}
          className="navigation-view"
          aria-current={holds.test(location) ? 'page' : undefined}
        >
          <Icon name={icon} />
          {shellWords.views[name]}
          {(name === 'decisions' || name === 'outbox') && waiting > 0 && (
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
