/** What the panel of the QR payment says. */
export const qrWords = {
  title: 'QR payment',
  address: 'Webhook address',
  addressHelp: 'Its last part cannot be guessed. The order service learns it from the update.',
  copyAddress: 'Copy address',
  put: 'Put it into the form',
  states: {
    unknown: 'The order service does not know this address yet.',
    typed: 'It is in the form and goes out with the next update.',
    known: 'The order service knows this address.',
  },
  play: 'Play the scanner',
  playing: 'Scanning…',
  playHelp: 'As when a buyer scans the code: the order service calls the address with start_qr_session.',
  needsAddress: 'First send an update that carries the address.',
  delivered: 'Scanned. The order service called the address.',
  inEarnest:
    'In earnest nobody presses a button: when a buyer scans the code, the order service calls the address, and the session shows up here.',
  session: 'Session',
  none: 'No scan so far.',
  arrived: (time: string) => `Arrived ${time}.`,
  copySession: 'Copy session',
  carried: {
    form: 'It is in the form and goes out with the next update.',
    sent: 'It went out with the last update.',
    missing: 'It is not in the form.',
  },
  putSession: 'Put it into the form',
} as const;
