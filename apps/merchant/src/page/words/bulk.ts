import type { BulkRowState, BulkState } from '../../contract/bulk-view.ts';
import { outcomeWords } from './outcomes.ts';
import { plural } from './plural.ts';

const updates = (count: number) => plural(count, 'update', 'updates');
const rows = (count: number) => plural(count, 'row', 'rows');

/** How a row stands, in a word. */
const rowStates = {
  bad: 'Bad',
  waiting: 'Waiting',
  sending: 'On its way',
  applied: outcomeWords.applied.title,
  rejected: outcomeWords.rejected.title,
  not_sent: outcomeWords.not_sent.title,
  unknown: outcomeWords.unknown.title,
  discarded: 'Discarded',
} as const satisfies Record<BulkRowState, string>;

const states = {
  preview: 'Not started',
  running: 'Sending',
  paused: 'Paused',
  done: 'Done',
} as const satisfies Record<BulkState, string>;

/** What the views of many updates from one file say. */
export const bulkWords = {
  title: 'Bulk',
  help: 'Send many updates from one file. Look at every row before anything leaves.',
  beside:
    'Rows leave at once and not through the outbox: one may overtake an update of its order that waits there.',
  states,
  rowStates,

  drop: {
    title: 'Drop a CSV or NDJSON file here',
    choose: 'or choose one',
    limits: 'At most 50,000 rows and 16 MiB. Nothing is sent yet.',
    over: 'Let go to read it',
    reading: (name: string) => `Reading ${name}…`,
    failed: (name: string) => `${name} was not read`,
    tooLarge: 'A file has at most 16 MiB. Split it into smaller ones.',
    tooMany: 'Drop one file at a time.',
    nothing: 'That was no file.',
  },

  formats: {
    title: 'How a file is written',
    csv: {
      name: 'CSV',
      text: 'The first row names the columns: token, the order’s token, and the fields of the update as paths.',
      rules: [
        'An empty cell is left out of the update.',
        'cart, hooks, shipping_address and update may hold JSON.',
        'Numbers are whole: 14900, not 149.00 or 14 900.',
        'A column of another name is sent as a field of that name.',
        'Commas, semicolons and tabs all divide cells; text is UTF-8.',
      ],
      example: 'Example as CSV',
    },
    ndjson: {
      name: 'NDJSON',
      text: 'One JSON object on each line, with the token and the whole update.',
      example: 'Example as NDJSON',
    },
  },

  earlier: {
    title: 'Files',
    loading: 'Loading the files',
    failed: 'The files could not be loaded',
    none: 'No files yet. The ones you drop are kept here until you remove them.',
    rows,
  },

  back: 'All files',
  loading: 'Loading the file',
  unknown: {
    title: 'This desk does not know the file',
    text: 'It was removed, or it belongs to another desk.',
  },
  failed: {
    title: 'The file could not be loaded',
    text: 'The desk’s own server did not answer. Check that it is running, then try again.',
  },
  readAt: (time: string) => `Read ${time}`,

  remove: {
    ask: 'Remove',
    sure: 'Remove this file and what is known of its rows?',
    yes: 'Remove for good',
    no: 'Keep it',
  },

  result: {
    csv: 'Result as CSV',
    ndjson: 'Result as NDJSON',
    help: 'One line for each row: outcome, attempts, status, message and hint. In the CSV, text that a spreadsheet would run as a formula begins with an apostrophe; numbers stay numbers. The NDJSON has every text as it is.',
  },

  panel: {
    preview: {
      title: (good: number) => (good === 0 ? 'Nothing here can be sent' : `${updates(good)} can be sent`),
      text: (bad: number, good: number) => {
        if (bad === 0) return 'Every row was read and is valid.';
        const left = bad === 1 ? '1 row is bad and is left out' : `${rows(bad)} are bad and are left out`;
        return good === 0
          ? 'Every row is bad. Mend the file by what is said of its rows, then drop it again.'
          : `${left}: mend it in the file and send it later, or mend the file now and drop it again.`;
      },
    },
    running: {
      title: 'Sending',
      text: 'You may leave this view; the desk goes on.',
    },
    pausing: {
      title: 'Pausing',
      text: (count: number) => `${updates(count)} on the way will still end. Nothing more leaves.`,
    },
    paused: {
      title: 'Paused',
      text: (left: number) => `${updates(left)} wait to be sent.`,
      nothing: 'Nothing waits to be sent.',
    },
    done: {
      title: 'Done',
      text: 'Every row that could be sent has its outcome.',
      again: (count: number) => `${updates(count)} never left. Sending them again is safe.`,
    },
    send: (count: number) => `Send ${updates(count)}`,
    sendAgain: (count: number) => `Send ${count.toLocaleString('en')} again`,
    pause: 'Pause',
    continue: 'Continue',
    facts: { settled: 'Settled', rate: 'Rate', left: 'Time left' },
    none: '–',
    progress: 'Progress',
    settled: (settled: number, total: number) =>
      `${settled.toLocaleString('en')} of ${total.toLocaleString('en')}`,
    rate: (perSecond: number) =>
      `${perSecond.toLocaleString('en', { maximumFractionDigits: perSecond < 10 ? 1 : 0 })} / s`,
    left: (seconds: number) => {
      if (seconds < 60) return `${seconds} s`;
      const minutes = Math.floor(seconds / 60);
      return minutes < 60
        ? `${minutes} min ${seconds % 60} s`
        : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
    },
    said: (title: string, percent: number) => `${title}. ${percent} % settled.`,
  },

  unknownRows: {
    title: (count: number) =>
      count === 1 ? '1 update may have arrived' : `${count.toLocaleString('en')} updates may have arrived`,
    text: 'Nobody can tell from here whether the order service took them. Look at those orders first: sent again, a line may be added twice, and a later row of the same order may be undone.',
    again: 'Send again',
    discard: 'Discard',
  },

  filter: {
    label: 'Rows to show',
    all: 'All',
  },

  table: {
    label: 'Rows of the file',
    columns: { row: 'Row', line: 'Line', token: 'Order', state: 'State', what: 'What', more: 'Details' },
    none: 'No row is in this state.',
    failed: 'These rows could not be loaded.',
    more: (count: number) => `and ${plural(count, 'more issue', 'more issues')}`,
    show: (row: number) => `Details of row ${row}`,
    read: 'What was read',
    update: 'The update',
    attempts: (attempts: number, status: number | undefined) =>
      `${plural(attempts, 'attempt', 'attempts')}${status === undefined ? '' : `, status ${status}`}`,
    nothing: 'No token',
  },
} as const;
