import type { Trouble } from '../../contract/switchboard-view.ts';
import type { Outcome } from '../../contract/update-report.ts';
import { outcomeWords } from './outcomes.ts';
import { plural } from './plural.ts';

interface TroubleWords {
  readonly name: string;
  /** What the order service does. */
  readonly service: string;
  /** What the desk does about it, and what becomes of the update. */
  readonly desk: string;
}

const troubles = {
  none: {
    name: 'All well',
    service: 'Every update is taken and answered at once.',
    desk: 'Each update leaves once and is applied.',
  },
  slow: {
    name: 'Slow',
    service: 'Each answer comes a second and a half late.',
    desk: 'The desk waits. Later updates of the same order wait behind, those of other orders do not.',
  },
  busy: {
    name: 'Busy',
    service: 'Rejects updates as too many (429) and asks for a pause of one second.',
    desk: 'The desk pauses the updates of every order, then retries, three attempts in all. If the last gets a 429 too, the update is rejected.',
  },
  failing: {
    name: 'Failing',
    service: 'Answers with an error (503) that does not say whether it took the update.',
    desk: 'Sent again, a cart might be taken twice. So the desk stops there and leaves the choice to you.',
  },
  reset_after_applying: {
    name: 'Cutting off',
    service: 'Takes the update, then breaks the connection before it answers.',
    desk: 'The order has changed, but nothing here can tell. The desk says that it does not know.',
  },
  down: {
    name: 'Down',
    service: 'Nobody can connect.',
    desk: 'The desk tries three times, then knows for certain that nothing left. What was on its way is unknown.',
  },
} as const satisfies Record<Trouble, TroubleWords>;

/** What becomes of an update in the outbox, where that differs. */
const inOutbox: Readonly<Partial<Record<Trouble, string>>> = {
  slow: 'The outbox waits. Later updates of the same order wait behind, those of other orders do not.',
  busy: 'The outbox pauses the updates of every order, then retries until they are applied.',
  failing:
    'Sent again, a cart might be applied twice, so the update needs review and its order waits. After failures on three orders in a row the outbox stops and probes the service.',
  reset_after_applying:
    'The order has changed, but nothing here can tell. The update needs review, and its order waits.',
  down: 'Nothing is lost: updates wait in the outbox and leave when it is back. Updates in flight need review.',
};

const lower = (outcome: Outcome) => outcomeWords[outcome].title.toLowerCase();
const counted = (outcome: Outcome, count: number) => `${count} ${lower(outcome)}`;

/** What the switchboard, the lanes and the chart say. */
export const switchboardWords = {
  title: 'Switchboard',
  help: 'Make the order service misbehave, send updates, and watch what becomes of each.',
  loading: 'Loading the switchboard',
  failed: 'The switchboard could not be loaded',

  switch: {
    title: 'What the order service does',
    troubles,
    inOutbox,
    forecastReview: 'An update that meets it needs review, and its order waits for your choice.',
    share: 'Share of requests that meet it',
    percent: (percent: number) => `${percent} %`,
    shareOfDown: 'Whoever connects is refused, so there is no share.',
    now: (trouble: Trouble, percent: number) => {
      if (trouble === 'none') return 'The order service is well.';
      const share = trouble === 'down' || percent === 100 ? 'every update' : `${percent} of 100 updates`;
      return `The order service is set to “${troubles[trouble].name}” for ${share}.`;
    },
    forecast: (shares: readonly (readonly [Outcome, number])[]) =>
      shares.length === 1
        ? `Expect every update to end as ${shares.map(([outcome]) => lower(outcome)).join('')}.`
        : `Of 100 updates, expect about ${shares.map(([outcome, count]) => counted(outcome, count)).join(' and ')}.`,
    reset: 'Make all well',
    failed: 'The switch was not thrown.',
    unavailable: {
      title: 'This order service cannot be made to fail',
      text: 'The desk talks to an order service that is not its own. What happens is shown all the same. Start the desk without --base-url to use the switch.',
    },
  },

  burst: {
    title: 'Send a burst',
    help: 'Sends what each order holds already, several times: nothing in the orders changes.',
    orders: 'Orders',
    updates: 'Updates each',
    send: (count: number) => `Send ${plural(count, 'update', 'updates')}`,
    sent: (count: number) => `${plural(count, 'update', 'updates')} accepted.`,
    failed: 'The burst was not sent.',
    decide: 'Unknown outcomes wait under',
  },

  lanes: {
    title: 'Lanes',
    help: 'The last minute. Of each order one update leaves at a time; orders run beside each other.',
    failed: 'Earlier updates could not be loaded; new ones are shown as they come.',
    done: 'Done',
    now: 'On its way',
    next: 'Queued',
    idle: 'Nothing on its way',
    sending: (attempt: number) => `Sending, attempt ${attempt}`,
    waiting: (seconds: string, attempt: number) => `Waiting ${seconds} s for attempt ${attempt}`,
    waitingInOutbox: (attempt: number) => `Waiting for attempt ${attempt}`,
    held: 'Unknown: waits for your choice',
    queued: 'Queued',
    counts: (done: number, next: number) => `${done} done, ${next} queued`,
    none: {
      title: 'There are no orders',
      text: 'As soon as this desk knows an order, its lane is here.',
    },
  },

  chart: {
    title: 'Last five minutes',
    help: 'How long each attempt took, and how many ended how in every ten seconds.',
    view: 'Show as',
    asChart: 'Chart',
    asTable: 'Table',
    latency: 'Time of each attempt',
    outcomes: 'Attempts in ten seconds',
    legend: 'Legend',
    now: 'now',
    minutesAgo: (minutes: number) => `${minutes} min ago`,
    milliseconds: (ms: number) =>
      ms < 1000
        ? `${Math.round(ms)} ms`
        : `${(ms / 1000).toLocaleString('en', { maximumFractionDigits: 1 })} s`,
    status: (status: number) => `Status ${status}`,
    noStatus: 'No answer',
    summary: (total: number, shares: readonly (readonly [Outcome, number])[]) =>
      `${plural(total, 'attempt', 'attempts')} in the last five minutes: ${shares
        .map(([outcome, count]) => counted(outcome, count))
        .join(', ')}. The table has the figures.`,
    columns: { time: 'Ten seconds from', attempts: 'Attempts', median: 'Median time' },
    loading: 'Loading the attempts',
    failed: 'Earlier attempts could not be loaded; new ones are shown as they come.',
    none: {
      title: 'No attempts in the last five minutes',
      text: 'Send a burst, or an update from an order, and it is drawn here.',
    },
  },
} as const;
