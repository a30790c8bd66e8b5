import type { Outcome } from '../contract/update-report.ts';

const plural = (count: number, one: string, more: string): string => `${count} ${count === 1 ? one : more}`;

/** Everything that the page says in English. */
export const words = {
  title: "Merchant's desk",

  orders: {
    title: 'Orders',
    unnamed: (tail: string) => `Order …${tail}`,
    token: 'Order token',
    copyToken: 'Copy order token',
    lines: (count: number) => plural(count, 'line', 'lines'),
    edited: 'Edited',
    loading: 'Loading orders',
    failed: {
      title: 'The orders could not be loaded',
      text: 'The desk’s own server did not answer. Check that it is running, then try again.',
      retry: 'Try again',
    },
    none: {
      title: 'No orders yet',
      text: 'This desk knows no orders. Start it with --order and the token of an order to see it here.',
    },
  },

  order: {
    title: 'Order',
    help: 'A field left empty is left out of the update.',
    carried: (names: readonly string[]) => `Sent along as they are: ${names.join(', ')}.`,
    fields: {
      order_id: { label: 'Order number', help: 'Your own, at most 255 characters.' },
      purchase_currency: { label: 'Currency', help: 'A code of ISO 4217.', none: 'Left out' },
      require_shipping: { label: 'Needs shipping' },
      express_shipping: { label: 'Express shipping' },
    },
    choices: { '': 'Left out', yes: 'Yes', no: 'No' },
  },

  cart: {
    title: 'Cart',
    help: 'Quantities and amounts are whole numbers.',
    line: (number: number) => `Line ${number}`,
    inLine: (label: string, number: number) => `${label}, line ${number}`,
    fields: {
      kind: 'Type',
      sku: 'SKU',
      name: 'Name',
      quantity: 'Quantity',
      unit_price: 'Unit price',
      discount_rate: 'Discount',
      vat_amount: 'V.A.T.',
    },
    add: 'Add line',
    remove: (number: number) => `Remove line ${number}`,
    none: { title: 'The cart is empty', text: 'Add the first line, or send the order without lines.' },
  },

  hooks: {
    title: 'Addresses',
    help: 'Where the buyer and the order service turn to.',
    fields: {
      user_return_url_on_success: {
        label: 'Return after success',
        help: 'Where the buyer lands after paying.',
      },
      user_return_url_on_fail: {
        label: 'Return after failure',
        help: 'Where the buyer lands when it did not work.',
      },
      terms_url: { label: 'Terms', help: 'Your terms of sale.' },
      webhook_url: { label: 'Webhooks', help: 'Where the order service sends its calls.' },
    },
  },

  dock: {
    label: 'Sending',
    send: 'Send update',
    sending: { title: 'Sending…', text: 'Waiting for the answer of the order service.' },
    idle: { title: 'Nothing sent yet', text: 'What becomes of the update is shown here.' },
    issues: (count: number, isRefused: boolean) =>
      `${isRefused ? 'Not sent: ' : ''}${plural(count, 'field needs', 'fields need')} mending`,
    also: 'Also:',
    moreIssues: (count: number) => `and ${count} more`,
    general: 'The update',
    editedSince: 'Edited since.',
    attempts: 'Attempts',
    status: 'Status',
    time: 'Time',
    details: 'Details',
    receipt: 'Receipt',
    answer: 'Answer of the order service',
    problem: 'What happened',
    copy: 'Copy receipt',
    copied: 'Copied',
  },

  outcomes: {
    applied: { title: 'Applied', text: 'The order service took this update.' },
    rejected: {
      title: 'Rejected',
      text: 'The order service said that it did not take this update. The order is as it was.',
    },
    not_sent: { title: 'Not sent', text: 'Nothing reached the order service. You can send it again.' },
    unknown: {
      title: 'Unknown',
      text: 'We do not know whether the order service took it. Look at the order there before you send it again.',
    },
  } satisfies Record<Outcome, { title: string; text: string }>,
  appliedUnread: 'The order service took this update, but its answer could not be read.',

  deskUnreachable: 'The desk’s own server did not answer.',
} as const;
