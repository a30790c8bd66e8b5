import { plural } from './plural.ts';

interface Problem {
  readonly message: string;
  readonly hint: string;
}

/** What the panel says in which JSON is pasted, and what is said of text that is no JSON. */
export const pasteWords = {
  open: 'Paste JSON',
  title: 'Paste JSON',
  close: 'Close',
  help: 'The body of an update, as JSON. Nothing is sent by it.',
  input: 'JSON text',
  placeholder: '{ "cart": { "items": [ … ] } }',
  choose: 'Choose a file',
  drop: 'Drop a .json file here, or type or paste above.',
  dropNow: 'Drop the file to read it.',
  put: 'Put it into the form',
  putDone: 'The pasted update is in the form.',
  replaces: 'It replaces what the form holds; you can undo that.',
  explained: 'Explained, line by line',
  number: (line: number) => `Line ${line}`,
  none: {
    title: 'Nothing to explain yet',
    text: 'Paste the JSON of an update. Each line is shown here with what is wrong with it, and what to write instead.',
  },
  good: 'Nothing is wrong with it.',
  bad: (count: number) => `${plural(count, 'thing', 'things')} to mend`,
  notJson: (count: number) => `This is not JSON yet: ${plural(count, 'place', 'places')} to mend`,
  notObject: 'An update is an object: it begins with { and ends with }.',
  whole: 'The update as a whole',
  column: (column: number) => `Column ${column}`,
  at: (line: number, column: number) => `Line ${line}, column ${column}`,
  copy: 'Copy the list',
  next: 'Next problem',
  tooLong: (limit: string) => `This is more than ${limit}, too much for one update. Nothing of it was taken.`,
  unreadable: 'The file could not be read.',
  tooManyLines: (most: number) => `The form takes a cart of at most ${most.toLocaleString('en')} lines.`,

  syntax: {
    empty: { message: 'There is nothing here', hint: 'Write a JSON value.' },
    tooDeep: { message: 'This is nested too deeply to be read', hint: 'Nest it less.' },
    unknown: { message: 'This is not JSON', hint: 'Check quotes, commas and brackets.' },
    commaTooMany: { message: 'A comma too many', hint: 'Remove it: nothing follows.' },
    commaMissing: { message: 'A comma is missing', hint: 'Put a comma between this and what stands before.' },
    colonMissing: { message: 'A colon is missing', hint: 'Put a colon between name and value.' },
    valueMissing: { message: 'A value is missing', hint: 'Write a value here.' },
    nameMissing: {
      message: 'The name of a field is missing',
      hint: 'Write it in double quotes, with a colon after it.',
    },
    leadingZero: {
      message: 'A number cannot begin with 0',
      hint: 'Remove the zeros, or write the value in double quotes if it is text.',
    },
    unclosed: (bracket: string) => ({
      message: `The text ends before ${bracket}`,
      hint: `Add ${bracket}, or look for what was cut off.`,
    }),
    after: { message: 'Something follows after the end', hint: 'Remove what follows: one value is all.' },
    comment: { message: 'JSON has no comments', hint: 'Remove the comment.' },
    openText: {
      message: 'A text is not closed on its line',
      hint: 'End it with a double quote; a line break within a text is written \\n.',
    },
    brokenNumber: { message: 'A number breaks off', hint: 'Amounts are whole numbers: write one.' },
    badEscape: {
      message: 'A backslash that JSON does not know',
      hint: 'Write a backslash of the text itself twice.',
    },
    control: {
      message: 'A control character within a text',
      hint: 'Write a tab as \\t and a line break as \\n.',
    },
    quotes: { message: 'Quotes that JSON does not know', hint: 'Use straight double quotes: ".' },
    unquoted: (name: string) => ({
      message: `${name} stands without quotes`,
      hint: `Write "${name}", in double quotes.`,
    }),
    noNumber: (word: string) => ({
      message: `JSON has no ${word}`,
      hint: 'Write a number, or leave the field out: look at what computes it.',
    }),
    noValue: (word: string) => ({ message: `JSON has no ${word}`, hint: 'Leave the field out.' }),
    literal: (word: string, meant: string) => ({ message: `JSON has no ${word}`, hint: `Write ${meant}.` }),
    badNumber: (word: string) => ({
      message: `${word} is no number of JSON`,
      hint: 'Amounts are whole numbers: digits, with a minus before them if need be.',
    }),
    invisible: (code: string) => ({
      message: `An invisible character (${code}) stands here`,
      hint: 'Remove it, or type a plain space.',
    }),
  },
} as const satisfies Record<string, unknown> & {
  readonly syntax: Record<string, Problem | ((...words: string[]) => Problem)>;
};
