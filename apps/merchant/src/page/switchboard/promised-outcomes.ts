import type { SendsThrough } from '../../contract/outbox-view.ts';
import type { SwitchboardSetting, Trouble } from '../../contract/switchboard-view.ts';
import type { Outcome } from '../../contract/update-report.ts';

/** What becomes of an update that meets a trouble, where the desk's own client sends it. */
const promisedOutcomes: Readonly<Record<Trouble, readonly Outcome[]>> = {
  none: ['applied'],
  slow: ['applied'],
  busy: ['applied', 'rejected'],
  failing: ['unknown'],
  reset_after_applying: ['unknown'],
  down: ['not_sent'],
};

/** What becomes of an update that meets a trouble: what the page promises of it. */
export function promiseOutcomes(trouble: Trouble, sendsThrough: SendsThrough): readonly Outcome[] {
  const promised = promisedOutcomes[trouble];
  // The outbox sends again for as long as it takes.
  if (sendsThrough === 'outbox' && !promised.includes('unknown')) return ['applied'];
  return promised;
}

/** Attempts of one update, as the client makes them by default. */
const maxAttempts = 3;

/** How many of a hundred updates to expect of each outcome; outcomes that are not to be expected are left out. */
export function foretellOutcomes(
  { trouble, percent }: SwitchboardSetting,
  sendsThrough: SendsThrough,
): readonly (readonly [Outcome, number])[] {
  const [first = 'applied', last = first] = promiseOutcomes(trouble, sendsThrough);
  const share = trouble === 'down' ? 1 : percent / 100;
  // What is tried again ends badly only when every attempt meets the trouble.
  const met = Math.round(100 * (last === 'rejected' ? share ** maxAttempts : share));
  if (last === 'applied') return [['applied', 100]];
  const shares = [['applied', 100 - met] as const, [last, met] as const];
  return shares.filter(([, count]) => count > 0);
}
