import type { FileIssue } from './file-row.ts';

type Damage = Pick<FileIssue, 'code' | 'message' | 'hint'>;

interface Rule extends Damage {
  readonly pattern: RegExp;
  /** Whether names and addresses may be like this. */
  readonly isForCodes?: true;
}

const month = '(?:jan|feb|m[aä]r|mrz|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])[a-zä]{0,6}\\.?';

const rules: readonly Rule[] = [
  {
    code: 'placeholder',
    // What databases, pandas and spreadsheets write in place of a value.
    pattern:
      /^(?:null|\(null\)|<null>|nil|none|nan|nat|n\/a|<na>|undefined|\\n|\[object object\]|[-+]?inf(?:inity)?|#+|#[\p{Lu}\d/]{1,12}[!?]?|#getting_data)$/iu,
    message: 'This stands for no value, and would be sent as text',
    hint: 'Leave the field out, or blank in CSV.',
  },
  {
    code: 'placeholder',
    // What R writes in place of a value; it is the code of Namibia, too.
    pattern: /^NA$/,
    message: 'This stands for no value, and would be sent as text',
    hint: 'Leave the field out, or blank in CSV.',
    isForCodes: true,
  },
  {
    code: 'shortened_number',
    pattern: /^[+-]?\d+(?:[.,]\d+)?e[+-]?\d+$/i,
    message: 'A spreadsheet writes long numbers like this, and their last digits are lost',
    hint: 'Export it again, with the column as text.',
  },
  {
    code: 'shortened_number',
    pattern: /^(?!0+$)\d{15}0+$/,
    message: 'A spreadsheet keeps 15 digits of a number, and writes 0 for the others',
    hint: 'Export it again, with the column as text.',
    isForCodes: true,
  },
  {
    code: 'shortened_number',
    pattern: /^\d+\.0$/,
    message: 'A spreadsheet or a data frame writes whole numbers like this',
    hint: 'Export it again, with the column as text.',
    isForCodes: true,
  },
  {
    code: 'date',
    pattern: new RegExp(`^(?:\\d{1,2}[-. /]+${month}(?:[-. /]+\\d{2,4})?|${month}[-. /]+\\d{2,4})$`, 'iu'),
    message: 'A spreadsheet makes a date of a code such as 1-2 or MAR1',
    hint: 'Export it again, with the column as text.',
    isForCodes: true,
  },
  {
    code: 'formula',
    pattern: /^(?:=|'(?=[\d=+@-]))/,
    message: 'A spreadsheet takes this for a formula or for its mark of text, and it would be sent as it is',
    hint: 'Write the text alone.',
  },
  {
    code: 'damaged_text',
    // UTF-8 that was read as Windows-1252, and characters that were lost.
    pattern: /\uFFFD|[ÃÂ][\u0080-\u00BF]|â[€\u0080][\u0080-\u00BF\u2018-\u203A™œž]/u,
    message: 'Characters were lost when this was read in another encoding',
    hint: 'Export it again, as UTF-8.',
  },
  {
    code: 'blanks',
    pattern: /^\s|\s$/u,
    message: 'Blanks stand around this, and would be sent',
    hint: 'Leave them out.',
  },
  {
    code: 'blanks',
    pattern: /\p{Cf}|\p{Zl}|\p{Zp}|\p{Cc}/u,
    message: 'This holds characters that are not visible, and they would be sent',
    hint: 'Leave them out.',
    isForCodes: true,
  },
  {
    code: 'blanks',
    pattern: /^\s*"[\s\S]*"\s*$/u,
    message: 'The quotes around this are part of it, and would be sent',
    hint: 'Leave them out.',
    isForCodes: true,
  },
];

/** What a spreadsheet or an export may have done to a text, if anything. */
export function findDamage(path: string, text: string): Damage | undefined {
  const isProse = /(?:^|\.)name$|^shipping_address\b|_url\w*$|_note$/.test(path);
  const rule = rules.find(({ isForCodes, pattern }) => !(isForCodes && isProse) && pattern.test(text));
  return rule && { code: rule.code, message: rule.message, ...(rule.hint && { hint: rule.hint }) };
}
