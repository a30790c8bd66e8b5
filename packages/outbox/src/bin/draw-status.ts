import Table from 'cli-table3';
import type { Backlog } from '../backlog.ts';
import { describeAge } from './describe-age.ts';
import { plainly } from './plainly.ts';
import type { Paint } from './screen.ts';

/** What was seen of an outbox. */
export interface Sight {
  readonly place: string;
  /** When it was looked at. */
  readonly at: Date;
  readonly backlog: Backlog;
  /** Why this may not be how it stands. */
  readonly note?: string;
}

/** Draws what is before an outbox as a table. */
export function drawStatus({ place, at, backlog, note }: Sight, paint: Paint): string {
  const { queued, sending, parked, rejected, lanes, oldestQueuedAt, pausedUntil } = backlog;
  const since = (date: Date): string => describeAge(at.getTime() - date.getTime());
  const waits = 'for a decision: orders-outbox dead';
  const alarm = (count: number): string => paint(String(count), count > 0 ? 'alarm' : 'dim');
  const plain = (count: number): string => paint(String(count), count > 0 ? 'fine' : 'dim');
  const table = new Table({
    colAligns: ['left', 'right', 'left'],
    colWidths: [18, 11, 38],
    style: { head: [], border: [], compact: true },
  });
  table.push(
    ['updates queued', plain(queued), oldestQueuedAt ? `the oldest for ${since(oldestQueuedAt)}` : ''],
    ['updates sending', plain(sending), ''],
    ['updates parked', alarm(parked), parked > 0 ? waits : ''],
    ['updates rejected', alarm(rejected), rejected > 0 ? waits : ''],
    ['orders waiting', plain(lanes.waiting), 'for a place, or for their time'],
    ['orders at work', plain(lanes.active), ''],
    ['orders held', alarm(lanes.held), lanes.held > 0 ? 'by an update that waits' : ''],
  );
  const paused =
    pausedUntil === undefined
      ? []
      : [
          paint(
            `Paused for ${describeAge(pausedUntil.getTime() - at.getTime())}: the service asked for it.`,
            'care',
          ),
        ];
  const time = at.toISOString().slice(0, 19).replace('T', ' ');
  return [
    `The outbox in ${plainly(place)}, ${time} UTC`,
    table.toString(),
    ...paused,
    ...(note === undefined ? [] : [paint(plainly(note), 'care')]),
    '',
  ].join('\n');
}
