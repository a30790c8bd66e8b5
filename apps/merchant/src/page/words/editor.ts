import { plural } from './plural.ts';

/** What the editor of an order says. */
export const editorWords = {
  sections: {
    label: 'Parts of the order',
    bad: (count: number) => `${count} to mend`,
  },

  order: {
    title: 'Order',
    help: 'A field left empty is left out of the update.',
    fields: {
      order_id: { label: 'Order number', help: 'Your own, at most 255 characters.' },
      purchase_currency: { label: 'Currency', help: 'A code of ISO 4217: search by code or name.' },
      require_shipping: { label: 'Needs shipping' },
      express_shipping: { label: 'Express shipping' },
      total_amount: { label: 'Total amount', help: 'With V.A.T., a whole number.' },
      total_vat_amount: { label: 'V.A.T. in total', help: 'A whole number.' },
      shipping_address: { label: 'Address as JSON', help: 'An object; which fields it has is up to you.' },
      user_session_id: { label: 'Session', help: 'Of the buyer, in your shop.' },
      user_identifier: { label: 'Buyer', help: 'As your shop knows the buyer.' },
      qr_session_id: { label: 'QR session', help: 'Of a payment by QR code; the scanner brings it.' },
      merchant_reference: { label: 'Reference', help: 'Free text, at most 255 characters.' },
      merchant_note: { label: 'Note', help: 'Free text, at most 255 characters.' },
      carried: { label: 'Sent along' },
      'cart.carried': { label: 'Sent along in the cart' },
    },
    choices: { '': 'Left out', yes: 'Yes', no: 'No' },
  },

  currency: {
    none: (text: string) => `No currency has “${text}” in its code or name.`,
  },

  carried: {
    title: 'Sent along as they are',
    leaveOut: (name: string) => `Leave out ${name}`,
    inPlace: 'what stands in its place',
  },

  cart: {
    title: 'Cart',
    help: 'Quantities and amounts are whole numbers.',
    line: (number: number) => `Line ${number}`,
    lines: (count: number) => plural(count, 'line', 'lines'),
    inLine: (label: string, number: number) => `${label}, line ${number}`,
    fields: {
      kind: 'Type',
      sku: 'SKU',
      name: 'Name',
      quantity: 'Quantity',
      unit_price: 'Unit price',
      discount_rate: 'Discount',
      vat_amount: 'V.A.T.',
      carried: 'Sent along',
    },
    add: 'Add line',
    actions: (number: number) => `Actions for line ${number}`,
    drag: 'Drag to another place',
    moveUp: 'Move up',
    moveDown: 'Move down',
    duplicate: 'Duplicate',
    remove: 'Remove',
    leaveOut: (name: string) => `Leave out “${name}”`,
    carries: (names: readonly string[]) => `also sends ${names.join(', ')}`,
    none: { title: 'The cart is empty', text: 'Add the first line, or send the order without lines.' },
    find: {
      label: 'Find a line',
      placeholder: 'SKU, name or type',
      next: 'Next match',
      found: (number: number, of: number) => `${number} of ${of}`,
      none: 'No match',
    },
    told: {
      added: (number: number) => `Line ${number} added.`,
      removed: (number: number) => `Line ${number} removed.`,
      restored: (number: number) => `Line ${number} is back.`,
      duplicated: (number: number) => `Duplicated as line ${number}.`,
      moved: (from: number, to: number) => `Line ${from} is line ${to} now.`,
      first: 'This is the first line.',
      last: 'This is the last line.',
    },
  },

  address: {
    title: 'Shipping address',
    help: 'Which fields it has is not shown to us, so it is free JSON.',
    tidy: 'Tidy',
    tidyHelp: 'Sets the JSON out over lines.',
    at: (line: number, column: number, message: string) => `Line ${line}, column ${column}: ${message}`,
  },

  buyer: {
    title: 'Buyer and QR payment',
    help: 'Sessions and identifiers.',
    scannedAt: (time: string) => `From the scanner at ${time}; goes out with this update.`,
    scannedAndSent: (time: string) => `From the scanner at ${time}; sent already.`,
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

  more: {
    title: 'Notes',
    help: 'For you and the order service to find it again.',
  },

  draft: {
    clean: 'No changes',
    typing: 'Not saved yet',
    saving: 'Saving…',
    saved: 'Saved here, not sent',
    failed: (why: string) => `Not saved: ${why}`,
    discard: 'Discard changes',
    discarded: 'The changes are discarded.',
  },

  undo: { label: 'Undo', close: 'Close' },

  shortcuts: {
    open: 'Keyboard shortcuts',
    title: 'Keyboard',
    list: [
      { keys: ['Enter'], text: 'The same field of the next line; with Shift, of the one before' },
      { keys: ['Alt', '↑'], text: 'Moves the line up' },
      { keys: ['Alt', '↓'], text: 'Moves the line down' },
      { keys: ['Alt', 'Z'], text: 'Takes back what was removed, pasted or discarded last' },
      { keys: ['Ctrl', 'Enter'], text: 'Sends the order' },
    ],
  },
} as const;
