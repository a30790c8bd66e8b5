import { type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { pasteWords } from '../words/paste.ts';

/** A place where a text is not JSON: what is wrong there, and what to write instead. */
export interface SyntaxProblem {
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  readonly message: string;
  readonly hint: string;
}

type Words = Pick<SyntaxProblem, 'message' | 'hint'>;

const { syntax } = pasteWords;
/** More would help nobody: the first ones are mended first. */
const maxProblems = 100;

/** Finds where a text is not JSON, in its order and at most once a line; nothing exactly when `JSON.parse` takes it. */
export function findSyntaxProblems(text: string): readonly SyntaxProblem[] {
  try {
    JSON.parse(text);
    return [];
  } catch {
    return locate(text);
  }
}

function locate(text: string): readonly SyntaxProblem[] {
  if (text.trim() === '') return [{ line: 1, column: 1, ...syntax.empty }];
  const errors: ParseError[] = [];
  try {
    parseTree(text, errors, { disallowComments: true });
  } catch {
    // Only the depth of nesting can exhaust a parser.
    return [{ line: 1, column: 1, ...syntax.tooDeep }];
  }
  const found: SyntaxProblem[] = [];
  for (const [index, error] of errors.entries()) {
    if (isConsequence(error, errors[index - 1], text)) continue;
    const { offset, ...words } = tell(error, text);
    const place = placeOf(offset, text);
    // What follows on the same line is most often a consequence of the first.
    if (found.at(-1)?.line !== place.line) found.push({ ...place, ...words });
    if (found.length === maxProblems || words.message === syntax.openText.message) break;
  }
  return found.length > 0 ? found : [{ line: 1, column: 1, ...syntax.unknown }];
}

/** A word that JSON does not know stands for a value, which is then found to be missing. */
function isConsequence({ offset }: ParseError, before: ParseError | undefined, text: string): boolean {
  if (!before || printParseErrorCode(before.error) !== 'InvalidSymbol') return false;
  return text.slice(before.offset + before.length, offset).trim() === '';
}

function tell(error: ParseError, text: string): Words & { readonly offset: number } {
  const { offset, length } = error;
  const before = /\S(?=\s*$)/.exec(text.slice(0, offset));
  const code = printParseErrorCode(error.error);
  if ((code === 'ValueExpected' || code === 'PropertyNameExpected') && before?.[0] === ',') {
    const isEnd = /^(\s*[\]},]|$)/.test(text.slice(offset));
    if (isEnd) return { offset: before.index, ...syntax.commaTooMany };
  }
  if (code === 'InvalidSymbol')
    return { offset, ...tellSymbol(text.slice(offset, offset + length), text[offset + length] ?? '') };
  const isZero =
    code === 'CommaExpected' && /(^|[^\d.])0$/.test(text.slice(0, offset)) && /\d/.test(text[offset] ?? '');
  return { offset, ...(isZero ? syntax.leadingZero : (bySort[code] ?? syntax.unknown)) };
}

const bySort: Readonly<Record<string, Words>> = {
  PropertyNameExpected: syntax.nameMissing,
  ValueExpected: syntax.valueMissing,
  ColonExpected: syntax.colonMissing,
  CommaExpected: syntax.commaMissing,
  CloseBraceExpected: syntax.unclosed('}'),
  CloseBracketExpected: syntax.unclosed(']'),
  EndOfFileExpected: syntax.after,
  InvalidCommentToken: syntax.comment,
  UnexpectedEndOfComment: syntax.comment,
  UnexpectedEndOfString: syntax.openText,
  UnexpectedEndOfNumber: syntax.brokenNumber,
  InvalidUnicode: syntax.badEscape,
  InvalidEscapeCharacter: syntax.badEscape,
  InvalidCharacter: syntax.control,
};

const literals: Readonly<Record<string, string>> = {
  True: 'true',
  TRUE: 'true',
  False: 'false',
  FALSE: 'false',
  None: 'null',
  NULL: 'null',
  Null: 'null',
  nil: 'null',
};

/** What stands where JSON knows no word: it begins with no quote, digit or bracket of JSON. */
function tellSymbol(symbol: string, next: string): Words {
  const word = symbol.length > 40 ? `${symbol.slice(0, 39)}…` : symbol;
  const [first = ''] = symbol;
  if (/[\s\p{Cf}\p{Cc}]/u.test(first)) {
    return syntax.invisible(`U+${(first.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`);
  }
  if (/['`‘’“”„«»]/.test(first)) return syntax.quotes;
  if (first === '#' || first === '/') return syntax.comment;
  if (/^[-+]?(NaN|Infinity)$/.test(symbol)) return syntax.noNumber(word);
  if (symbol === '-' && next === 'I') return syntax.noNumber('-Infinity');
  if (symbol === 'undefined') return syntax.noValue(word);
  const meant = literals[symbol];
  if (meant) return syntax.literal(word, meant);
  return /^[\p{L}_$]/u.test(symbol) && !/^[xX_]\d*/.test(symbol)
    ? syntax.unquoted(word)
    : syntax.badNumber(word);
}

function placeOf(offset: number, text: string): Pick<SyntaxProblem, 'line' | 'column'> {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
