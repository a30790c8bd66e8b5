/** The four outcomes of an update, with a drawing each, so that colour is not all that sets them apart. */
export const outcomes = [
  {
    name: 'applied',
    title: 'applied',
    text: 'The service responded that it applied the update.',
    next: 'You are done.',
    drawing: 'M5 12.5l4.5 4.5L19 7.5',
  },
  {
    name: 'rejected',
    title: 'rejected',
    text: 'The service responded that it refused the update.',
    next: 'Fix the update or the key. After a 429, send it again later.',
    drawing: 'M6.5 6.5l11 11 M17.5 6.5l-11 11',
  },
  {
    name: 'not-sent',
    title: 'not_sent',
    text: 'No byte of the update was sent.',
    next: 'Send it again, unless the update itself is invalid.',
    drawing: 'M9 6.5v11 M15 6.5v11',
  },
  {
    name: 'unknown',
    title: 'unknown',
    text: 'It was sent, and no response proves whether it was applied.',
    next: 'The client does not resend it. You decide.',
    drawing: 'M8.2 8.6a3.9 3.9 0 1 1 5.7 3.5c-1.3.7-1.9 1.4-1.9 2.8 M12 18.4v.1',
  },
] as const;

export type OutcomeName = (typeof outcomes)[number]['name'];
