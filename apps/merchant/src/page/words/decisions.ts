import { plural } from './plural.ts';

/** What the list of updates that wait for a person says. */
export const decisionWords = {
  title: 'Decisions',
  help: 'Nobody knows whether the order service took these updates. The desk never repeats one by itself.',
  count: (count: number) => plural(count, 'update waits', 'updates wait'),
  of: (order: string) => `Update of ${order}`,
  open: 'Open the order',
  accepted: (time: string) => `Sent off ${time}`,
  loading: 'Loading decisions',
  none: {
    title: 'Nothing waits for you',
    text: 'When an update ends without a known outcome, it waits here until you send it again or discard it.',
    back: 'To the orders',
  },
  failed: {
    title: 'The decisions could not be loaded',
    text: 'The desk’s own server did not answer. Check that it is running, then try again.',
  },
} as const;
