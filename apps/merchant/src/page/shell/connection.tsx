import './shell.css';
import { Icon, type IconName } from '../icon.tsx';
import type { ConnectionState } from '../live/desk-stream.ts';
import { useConnection } from '../live/use-connection.ts';
import { shellWords } from '../words/shell.ts';

const icons: Readonly<Record<ConnectionState, IconName>> = {
  open: 'plug',
  connecting: 'clock',
  lost: 'warning',
};

/** Whether the page hears the desk's server. */
export function Connection() {
  const state = useConnection();
  return (
    <p className="connection" data-state={state} role="status">
      <Icon name={icons[state]} size={14} />
      <span>{shellWords.connection[state]}</span>
    </p>
  );
}
