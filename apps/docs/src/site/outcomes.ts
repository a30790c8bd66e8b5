/** The four things that can become of an update, with a drawing each, so that none is told by its colour alone. */
export const outcomes = [
  {
    name: 'applied',
    title: 'applied',
    text: 'The service answered that it took the update.',
    next: 'You are done.',
    drawing: 'M5 12.5l4.5 4.5L19 7.5',
  },
  {
    name: 'rejected',
    title: 'rejected',
    text: 'The service answered that it did not take it.',
    next: 'Mend it, or the key.',
    drawing: 'M6.5 6.5l11 11 M17.5 6.5l-11 11',
  },
  {
    name: 'not-sent',
    title: 'not_sent',
    text: 'No byte of it left.',
    next: 'Send it again when you like.',
    drawing: 'M9 6.5v11 M15 6.5v11',
  },
  {
    name: 'unknown',
    title: 'unknown',
    text: 'It left, and no answer says what became of it.',
    next: 'Decide: it is never repeated behind your back.',
    drawing: 'M8.2 8.6a3.9 3.9 0 1 1 5.7 3.5c-1.3.7-1.9 1.4-1.9 2.8 M12 18.4v.1',
  },
] as const;

export type OutcomeName = (typeof outcomes)[number]['name'];
