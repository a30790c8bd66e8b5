import { isUtf8 } from 'node:buffer';
import type { JournalEntry } from '../service/journal.ts';
import { answerPage } from './answer-page.ts';
import type { ControlRoute } from './control-route.ts';

export const RECORD_ROUTES: readonly ControlRoute[] = [
  {
    method: 'GET',
    path: '/orders',
    does: 'shows the last 1,000 orders as they are now; ?after=<token or number> shows those that follow',
    query: ['after'],
    answer: ({ sources: { orders: entries }, query: { after } }) =>
      answerPage({ entries, idOf: ({ token }) => token, after }),
  },
  {
    method: 'GET',
    path: '/ledger',
    does: 'shows the last 1,000 updates applied; ?token=<token> those of one order, ?after=<request id or number> those that follow',
    query: ['token', 'after'],
    answer: ({ sources: { ledger: entries }, query: { token, after } }) =>
      answerPage({
        entries,
        idOf: ({ requestId }) => requestId,
        wants: (entry) => token === undefined || entry.token === token,
        after,
      }),
  },
  {
    method: 'GET',
    path: '/journal',
    does: 'shows the last 1,000 requests received; ?after=<request id or number> those that follow',
    query: ['after'],
    answer: ({ sources: { journal: entries }, query: { after } }) =>
      answerPage({ entries, idOf: ({ requestId }) => requestId, show: showEntry, after }),
  },
];

/** A body that is text is shown as `body`, any other as `bodyBase64`. */
function showEntry({ body, ...entry }: JournalEntry): object {
  return isUtf8(body)
    ? { ...entry, body: body.toString('utf8') }
    : { ...entry, bodyBase64: body.toString('base64') };
}
