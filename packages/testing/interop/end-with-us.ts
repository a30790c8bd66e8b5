import type { ChildProcess } from 'node:child_process';
import process from 'node:process';

/** Ends a child with this process, whichever way that ends; `clean` then removes what the child has left. */
export function endWithUs(child: ChildProcess, clean: () => void = () => {}): void {
  const end = (): void => {
    child.kill('SIGKILL');
    clean();
  };
  process.once('exit', end);
  child.once('close', () => process.off('exit', end));
}
