import type { FileIssue } from './file-row.ts';

type Damage = Pick<FileIssue, 'code' | 'message' | 'hint'>;

interface Rule extends Damage {
  readonly pattern: RegExp;
  /** What of the pattern is damage in names and addresses, too; `none` of it, as they may be like this. */
  readonly inProse?: RegExp | 'none';
}

/** Error values of Excel, LibreOffice and Google Sheets, in the languages of Western and Northern Europe and in Polish. */
const errorNames =
  'NAME|REF|VALUE|DIV/0|NUM|NULL|SPILL|CALC|FIELD|BUSY|CONNECT|BLOCKED|UNKNOWN|EXTERNAL|PYTHON|ERROR|N/D' +
  '|WERT|BEZUG|ZAHL|ÜBERLAUF|KALK|FELD|BLOCKIERT|UNBEKANNT' +
  '|VALEUR|NOM|NOMBRE|NUL|EPARS|PROPAGATION|CHAMP|VALOR|NULO|DESBORDAMIENTO|CAMPO' +
  '|VALORE|NOME|RIF|NULLO|ESPANSIONE|NÚM|DESPEJAR|WAARDE|NAAM|VERW|GETAL|DEEL/0|LEEG|OVERLOOP' +
  '|VERDI|NAVN|OVERFLYT|VÆRDI|REFERENCE|DIVISION/0|OVERLØB|SAKNAS|VÄRDEFEL|NAMN|REFERENS|OGILTIGT|SKÄRNING' +
  '|PUUTTUU|ARVO|NIMI|VIITTAUS|LUKU|JAKO/0|TYHJÄ|ARG|NAZWA|ADR|LICZBA|DZIEL/0|ZERO';
const errors = `#+|#[¡¿]?(?:${errorNames})[!?]|#(?:N/A|N/D|N/B|I/T|NV|GETTING_DATA)`;

const titled = (months: string): string => months.replace(/(?<![^|])./g, (letter) => letter.toUpperCase());
/** English and German, short and long. */
const months =
  'jan|january|januar|feb|february|februar|mar|march|mär|mrz|märz|apr|april|may|mai|jun|june|juni|jul|july|juli|aug' +
  '|august|sep|sept|september|oct|october|okt|oktober|nov|november|dec|december|dez|dezember';
/** As spreadsheets write them in French, Spanish, Italian, Dutch and Portuguese. `Intl` has others, such as `sept`. */
const otherMonths =
  'janv|jan|ene|gen|févr|feb|fev|mars|mar|mrt|avr|abr|apr|mai|may|mag|mei|juin|jun|giu|juil|jul|lug' +
  '|août|ago|aug|sept|sep|set|oct|ott|okt|out|nov|déc|dic|dec|dez';
const day = '(?:0?[1-9]|[12]\\d|3[01])[-. /]+';
const year = '[-. /]+(?:\\d{2}|\\d{4})';

const date: Damage = {
  code: 'date',
  message: 'A spreadsheet makes a date of a code such as 1-2 or MAR1',
  hint: 'Export it again, with the column as text.',
};

const rules: readonly Rule[] = [
  {
    code: 'placeholder',
    // What databases, pandas and spreadsheets write in place of a value.
    pattern: new RegExp(
      `^(?:null|\\(null\\)|<null>|nil|none|nan|nat|n/a|<na>|undefined|\\\\n|\\[object object\\]|[-+]?inf(?:inity)?|${errors})$`,
      'iu',
    ),
    // "Null" and "Nat" are names of people, "None" and "Infinity" of goods.
    inProse: new RegExp(
      `^(?:null|NULL|\\(null\\)|<null>|nan|NaN|NaT|[nN]/[aA]|<NA>|undefined|\\\\N|\\[object Object\\]|${errors})$`,
      'u',
    ),
    message: 'This stands for no value, and would be sent as text',
    hint: 'Leave the field out, or blank in CSV.',
  },
  {
    code: 'placeholder',
    // What R writes in place of a value; it is the code of Namibia, too.
    pattern: /^NA$/,
    message: 'This stands for no value, and would be sent as text',
    hint: 'Leave the field out, or blank in CSV.',
    inProse: 'none',
  },
  {
    code: 'shortened_number',
    // 12E4 is a code: what is shortened has a fraction or a sign.
    pattern: /^[+-]?\d+(?:[.,]\d+e[+-]?|e[+-])\d+$/i,
    message: 'A spreadsheet writes long numbers like this, and their last digits are lost',
    hint: 'Export it again, with the column as text.',
  },
  {
    code: 'shortened_number',
    pattern: /^(?!0+$)\d{15}0+$/,
    message: 'A spreadsheet keeps 15 digits of a number, and writes 0 for the others',
    hint: 'Export it again, with the column as text.',
    inProse: 'none',
  },
  {
    code: 'shortened_number',
    pattern: /^\d+\.0$/,
    message: 'A spreadsheet or a data frame writes whole numbers like this',
    hint: 'Export it again, with the column as text.',
    inProse: 'none',
  },
  { ...date, pattern: new RegExp(`^${day}(?:${months})\\.?(?:${year})?$`, 'iu'), inProse: 'none' },
  {
    ...date,
    // MAR-10 and SET-10 are codes: spreadsheets write Mar-10, and "set" for September in lower case, as shops do for sets.
    pattern: new RegExp(
      `^(?:${day}(?:${otherMonths})\\.?(?:${year})?|(?!set|out)(?:${titled(months)}|${otherMonths})\\.?${year})$`,
      'u',
    ),
    inProse: 'none',
  },
  {
    code: 'formula',
    pattern: /^(?:=|'(?=[\d=+@-]))/,
    // "'90s mug" is a name.
    inProse: /^(?:=|'(?=[=+@-]|[\d\s.,/-]+$))/,
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
    inProse: 'none',
  },
  {
    code: 'blanks',
    pattern: /^\s*"[\s\S]*"\s*$/u,
    message: 'The quotes around this are part of it, and would be sent',
    hint: 'Leave them out.',
    inProse: 'none',
  },
];

/** What a spreadsheet or an export may have done to a text, if anything. */
export function findDamage(path: string, text: string): Damage | undefined {
  const isProse = /(?:^|\.)name$|^shipping_address\b|_url\w*$|_note$/.test(path);
  const rule = rules.find(({ pattern, inProse = pattern }) => {
    const damage = isProse ? inProse : pattern;
    return damage !== 'none' && damage.test(text);
  });
  return rule && { code: rule.code, message: rule.message, ...(rule.hint && { hint: rule.hint }) };
}
