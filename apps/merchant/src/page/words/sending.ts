import { plural } from './plural.ts';

/** What the bar says from which an update is sent. */
export const sendingWords = {
  label: 'Sending',
  send: 'Send update',
  idle: { title: 'Nothing sent yet', text: 'What becomes of the update is shown here.' },
  handing: { title: 'Handing over…', text: 'The desk checks the update and stores it before it sends it.' },
  askingAgain: {
    title: 'Handing over…',
    text: 'The desk did not answer. Asking again; the update is accepted once at most.',
  },
  queuedBehind: (count: number) =>
    `It leaves after ${plural(count, 'earlier update', 'earlier updates')} of this order.`,
  attempt: (number: number) => `Sending, attempt ${number}`,
  waiting: (number: number) => `Attempt ${number} in`,
  waitingInOutbox: (number: number) => `Waiting for attempt ${number}`,
  waitingText: (why: string) => `${why}. The desk tries again by itself.`,
  details: 'Details',
  issues: (count: number, isRefused: boolean) =>
    `${isRefused ? 'Not sent: ' : ''}${plural(count, 'field needs', 'fields need')} mending`,
  also: 'Also:',
  moreIssues: (count: number) => `and ${count} more`,
  general: 'The update',
  editedSince: 'Edited since.',
  attempts: 'Attempts',
  status: 'Status',
  time: 'Time',

  lost: {
    title: 'The desk does not answer',
    text: 'Whether it took this update is not known yet. Sending the same again is safe: it is accepted once at most.',
  },
  notTaken: {
    title: 'Not handed over',
    text: 'The desk did not take this update, so nothing was sent. Send it again.',
  },

  preview: {
    open: 'What will be sent',
    title: 'What will be sent',
    close: 'Close',
    loading: 'Preparing the request',
    request: 'Request',
    hidden: 'The key stays in the desk’s server; the order service sees it in Authorization.',
    body: 'Body, set out to read',
    exact: 'Body, exactly as it is sent',
    bytes: (count: number) => plural(count, 'byte', 'bytes'),
    curl: 'The same from a shell',
    curlHelp: 'Reads the key from ORDERS_API_KEY. It changes the order, as the button does.',
    copyCurl: 'Copy command',
    copyBody: 'Copy body',
    invalid: 'This cannot be sent yet',
    invalidText: 'The update breaks these rules. Mend the fields, then look again.',
    failed: 'The request could not be prepared',
  },
} as const;
