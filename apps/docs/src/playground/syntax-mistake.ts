/** Why a text is no JSON, and what to write instead. */
export interface SyntaxMistake {
  readonly message: string;
  readonly hint: string;
}

interface Slip {
  /** What stands at the place where reading stopped. */
  readonly at: RegExp;
  /** What stands before it, blanks left out. */
  readonly after?: RegExp;
  readonly message: string;
  readonly hint: string;
}

// The first that fits is told.
const slips: readonly Slip[] = [
  {
    at: /^$/,
    message: 'The text ends too early',
    hint: 'Close what is still open: a quote, a bracket or a brace.',
  },
  {
    at: /^[}\]]/,
    after: /,$/,
    message: 'A comma before the end of a list or an object',
    hint: 'Leave out the comma.',
  },
  { at: /^'/, message: 'A single quote', hint: 'Put names and texts in double quotes.' },
  {
    at: /^[“”„«»]/,
    message: 'A typographic quote',
    hint: 'Put names and texts in straight double quotes.',
  },
  {
    at: /^(True|False)\b/,
    message: 'A word that JSON does not know',
    hint: 'Write true or false, in small letters.',
  },
  {
    at: /^(None|undefined|nil)\b/,
    message: 'A word that JSON does not know',
    hint: 'Leave the field out.',
  },
  {
    at: /^-?(NaN|Infinity)\b/,
    message: 'A number that JSON cannot hold',
    hint: 'Write digits, or leave the field out.',
  },
  { at: /^(\/\/|\/\*|#)/, message: 'A comment', hint: 'Leave it out: JSON has no comments.' },
  {
    at: /^[\p{L}_$]/u,
    after: /[{,]$/,
    message: 'A field name without quotes',
    hint: 'Put the name in double quotes.',
  },
  {
    at: /^\d/,
    after: /\d,$/,
    message: 'A comma inside a number',
    hint: 'Amounts are whole numbers, without a comma.',
  },
  { at: /^-?0\d/, message: 'A number that begins with 0', hint: 'Leave out the 0 at the front.' },
  {
    at: /^["{[\d]/,
    after: /["}\]\dels]$/,
    message: 'Two values in a row',
    hint: 'Put a comma, or after a field name a colon, between them.',
  },
  {
    at: /^[\n\r\t]/,
    message: 'A line break or a tab inside a text',
    hint: 'Write \\n for a line break, \\t for a tab.',
  },
];

/** Tells what is wrong at the place where reading a text as JSON stopped. */
export function tellSyntaxMistake(text: string, offset: number): SyntaxMistake {
  const here = text.slice(offset, offset + 40);
  const before = text.slice(Math.max(0, offset - 40), offset).trimEnd();
  const slip = slips.find(({ at, after }) => at.test(here) && (!after || after.test(before)));
  if (slip) return { message: slip.message, hint: slip.hint };
  const [character = ''] = here;
  return {
    message: `Unexpected ${JSON.stringify(character)}`,
    hint: 'Look at what stands before it: a quote, a comma or a colon may be missing.',
  };
}
