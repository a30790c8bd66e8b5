import { SingleBar } from 'cli-progress';
import type { Progress } from '../measure/progress.ts';

/** Shows progress as a bar on a terminal, and nothing elsewhere. */
export function showProgress(stream: NodeJS.WriteStream): Progress {
  const format = '{bar} {percentage}% {title}';
  const bar = new SingleBar({ stream, format, barsize: 24, clearOnComplete: true, hideCursor: true });
  return {
    begin: (title, steps) => bar.start(steps, 0, { title }),
    step: () => bar.increment(),
    end: () => bar.stop(),
  };
}
