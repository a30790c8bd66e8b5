import './shell.css';
import { Link } from 'wouter';
import { Icon } from '../icon.tsx';
import { shellWords } from '../words/shell.ts';
import { Connection } from './connection.tsx';
import { Navigation } from './navigation.tsx';
import { SchemeSwitch } from './scheme-switch.tsx';

/** What every view stands under. */
export function Header() {
  return (
    <header className="header">
      <Link href="/" className="header-brand">
        <span className="header-mark">
          <Icon name="cart" size={18} />
        </span>
        {shellWords.title}
      </Link>
      <Navigation />
      <Connection />
      <SchemeSwitch />
    </header>
  );
}
