import { plural } from './plural.ts';

const maybeTwice =
  'If the order service took it the first time, it may be applied twice: its document does not say that a repeat is harmless.';
const leftAtThat = 'The desk leaves it at that. What the order service may have taken stays there.';

/** What the column beside an order says: what happens now, what happened before, and the QR payment. */
export const activityWords = {
  label: 'Activity',
  latest: 'Latest update',
  earlier: 'Earlier updates',
  none: { title: 'Nothing sent yet', text: 'Each step of an update is drawn here as it happens.' },
  attempts: (count: number) => plural(count, 'attempt', 'attempts'),

  queued: 'Queued',
  queuedText: 'The desk has stored it.',
  attempt: (number: number) => `Attempt ${number}`,
  underWay: 'Waiting for the answer',
  unrecorded: 'Its result was not recorded',
  answered: (status: number) => `Answer ${status}`,
  errors: {
    connection_error: 'The connection failed',
    timeout: 'No answer in time',
    http_error: 'Refused',
    invalid_response: 'The answer could not be read',
    aborted: 'Broken off',
  } as Readonly<Record<string, string>>,
  took: (duration: string) => `after ${duration}`,
  waiting: (duration: string) => `Waiting ${duration}`.trim(),
  waited: (duration: string) => `Waited ${duration}`.trim(),
  reopened: 'Sent off again',
  reopenedText: 'It is queued once more.',
  waitingText: 'The desk tries again by itself.',
  repeats: 'This sends an earlier update again.',
  discarded: { title: 'Discarded', text: 'A person left it at that.' },
  sentAgain: { title: 'Sent again', text: 'Its outcome is unknown. A person had it sent once more.' },

  problem: 'What happened',
  answer: 'Answer of the order service',
  receipt: 'Receipt',
  copyReceipt: 'Copy receipt',
  sent: 'What was sent',
  loadingSent: 'Loading what was sent',
  failedSent: 'What was sent could not be loaded.',

  decide: {
    title: 'What now?',
    again: 'Send again',
    discard: 'Discard',
    client: {
      text: 'Look at the order at the order service if you can. Then choose:',
      againText: `It goes out once more, as it was. ${maybeTwice}`,
      discardText: leftAtThat,
    },
    needsReview: {
      text: 'Look at the order at the order service if you can. Its later updates wait until you choose:',
      againText: `It goes out once more before those that wait. ${maybeTwice}`,
      discardText: leftAtThat,
    },
    rejected: {
      text: 'The order service has none of it, and later updates of the order went on. Choose:',
      againText:
        'It goes out once more, as it was, behind those that were sent since. It is refused again unless what stood in its way has changed.',
      discardText: 'The desk gives it up. Send a corrected update from the order instead.',
    },
    gone: 'Somebody has decided already.',
    failed: 'The decision could not be stored. Try again.',
  },
} as const;
