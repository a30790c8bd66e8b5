/** What commander says of a mistake, on one line and without a key. */
export function tellMistake(message: string): string {
  // What follows the equals sign of a misspelled option may be a key.
  const oneLine = message.replace(/\s+/g, ' ').replace(/^error: /, '');
  return oneLine.replace(/^(unknown option '[^=']*)=.*$/, "$1'");
}
