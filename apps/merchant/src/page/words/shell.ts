/** What the frame around every view says. */
export const shellWords = {
  title: 'Merchant’s desk',
  skip: 'Skip to the content',
  views: {
    label: 'Views',
    orders: 'Orders',
    bulk: 'Bulk',
    switchboard: 'Switchboard',
    decisions: 'Decisions',
    outbox: 'Outbox',
    waiting: (count: number) => `${count} waiting`,
  },
  scheme: { label: 'Colours', auto: 'As the system', light: 'Light', dark: 'Dark' },
  connection: {
    open: 'Live',
    connecting: 'Connecting',
    lost: 'The desk’s server does not answer; trying again',
  },
  loading: 'Loading',
  copy: 'Copy',
  copied: 'Copied',
  retry: 'Try again',
  deskUnreachable: 'The desk’s own server did not answer.',
  deskGarbled:
    'The desk’s own server answered something that this page does not understand. Reload the page.',
  notFound: {
    title: 'There is nothing here',
    text: 'This address leads to no view of the desk.',
    back: 'To the orders',
  },
  broken: {
    title: 'This view broke',
    text: 'What you typed into an order is kept. Reload the page to go on.',
    reload: 'Reload the page',
  },
} as const;
