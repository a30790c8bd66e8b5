import { resolve } from 'node:path';
import { type Decision, type Journal, type JournalRow, openJournal } from './journal.ts';
import {
  CommandError,
  commandLine,
  type ExitCode,
  formatCount,
  formatNumberOf,
  type Terminal,
} from './terminal.ts';

/** What a person decided, and whether the rows that wait are listed. */
export interface DecisionOptions extends Partial<Record<Decision, readonly number[] | 'all' | 'rejected'>> {
  readonly review?: true;
  readonly yes?: true;
}

interface DecisionContext {
  readonly file: string;
  readonly journalFile: string;
  readonly terminal: Terminal;
}

const decisions: readonly Decision[] = ['resolve', 'retry', 'discard'];

/** Whether a call lists or settles rows, and sends nothing. */
export function isDecision(options: DecisionOptions): boolean {
  return options.review === true || decisions.some((decision) => options[decision] !== undefined);
}

/** The command line that settles or lists rows of a file. */
export function sendLine(file: string, journalFile: string, ...words: readonly string[]): string {
  // Without its folder, a name such as -a.csv would be read as an option.
  const name = file.startsWith('-') ? `./${file}` : file;
  const journal = journalFile === journalOf(file) ? [] : ['--journal', journalFile];
  return commandLine(['orders', 'send', name, ...journal, ...words]);
}

/** The journal of a file, unless another is named. */
export const journalOf = (file: string): string => `${file}.orders-journal`;

/** Settles rows as a person decided, and lists those that wait for a decision. @throws CommandError */
export async function decideRows(options: DecisionOptions, context: DecisionContext): Promise<ExitCode> {
  const { file, journalFile, terminal } = context;
  const journal = await openJournal(journalFile);
  if (!journal)
    throw new CommandError(`There is no journal ${resolve(journalFile)}: nothing of ${file} was sent.`);
  try {
    const refused: string[] = [];
    const notes: string[] = [];
    const settled: { readonly row: number; readonly decision: Decision }[] = [];
    await journal.allOrNone(async () => {
      for (const decision of decisions) {
        const given = options[decision] ?? [];
        let rows: readonly number[];
        if (typeof given === 'string') {
          const state = given === 'all' ? 'unknown' : 'rejected';
          rows = await selectRows(journal, decision, { state, isConfirmed: options.yes === true, terminal });
          if (rows.length === 0) notes.push(describeNone(state, decision, journal));
        } else rows = given;
        for (const row of rows) {
          const why = journal.decide(row, decision);
          if (why === undefined) settled.push({ row, decision });
          else refused.push(why);
        }
      }
    });
    const waiting = [...journal.list(['unknown', 'rejected'])];
    await terminal.report({ settled, refused, waiting }, async () => [
      ...(settled.length > 0
        ? [
            `Settled: ${formatNumberOf(settled.length, 'row')}. To go on, run the command that sent the file again.`,
          ]
        : []),
      ...(options.review ? await drawReview(waiting, context) : []),
    ]);
    terminal.note(...notes, ...refused);
    if (refused.length > 0) return 1;
    return (options.review || notes.length > 0) && waiting.length > 0 ? 1 : 0;
  } finally {
    await journal.close();
  }
}

/** The rows that "all" or "rejected" stands for, once a person has confirmed it. @throws CommandError */
async function selectRows(
  journal: Journal,
  decision: Decision,
  { state, isConfirmed, terminal }: Selection,
): Promise<readonly number[]> {
  const rows = [...journal.list([state])].map(({ row }) => row);
  if (rows.length === 0 || isConfirmed) return rows;
  const question = questions[state][decision].replace('ROWS', formatNumberOf(rows.length, `${state} row`));
  if (await terminal.confirm(question)) return rows;
  throw new CommandError('Nothing was changed.');
}

interface Selection {
  readonly state: 'unknown' | 'rejected';
  readonly isConfirmed: boolean;
  readonly terminal: Terminal;
}

/** Why "all" or "rejected" settles nothing. */
function describeNone(state: 'unknown' | 'rejected', decision: Decision, journal: Journal): string {
  const other = state === 'unknown' ? 'rejected' : 'unknown';
  const { [other]: count = 0 } = journal.count();
  const found = `Nothing was settled: no row is ${state}`;
  if (count === 0) return `${found}, and none is ${other}.`;
  return `${found}. For the ${formatNumberOf(count, `${other} row`)}, pass --${decision} ${other === 'unknown' ? 'all' : other}.`;
}

const questions: Readonly<Record<'unknown' | 'rejected', Readonly<Record<Decision, string>>>> = {
  unknown: {
    resolve: 'Note ROWS as applied?',
    retry: 'Send ROWS again, though they may have been applied?',
    discard: 'Give up ROWS?',
  },
  rejected: {
    resolve: 'Note ROWS as applied, though the service rejected them?',
    retry: 'Send ROWS again?',
    discard: 'Give up ROWS?',
  },
};

/** How many rows `--review` shows to people. */
const maxReviewed = 100;

/** The rows that wait, those with the same reason together, and what to do about them. */
async function drawReview(
  waiting: readonly JournalRow[],
  { file, journalFile, terminal }: DecisionContext,
): Promise<readonly string[]> {
  if (waiting.length === 0) return ['No row waits for a decision.'];
  const reasons = new Map<string, JournalRow[]>();
  for (const row of waiting.slice(0, maxReviewed)) {
    const { state, status, code, message } = row;
    // The client's message begins with the operation, and the token is there already.
    const why = (message ?? '').replace(/^PATCH \S+: /, '');
    const colour = state === 'unknown' ? 'yellow' : 'red';
    // A message about a status begins with it.
    const kind = status === null ? ` (${code})` : '';
    const reason = `${terminal.style(colour, state)}${kind}: ${why}`;
    reasons.set(reason, [...(reasons.get(reason) ?? []), row]);
  }
  const lines: string[] = [];
  for (const [reason, rows] of reasons) {
    const cells = rows.map(({ row, sentAt, orderId, token }) => [
      '',
      row,
      sentAt?.slice(0, 19).replace('T', ' ') ?? '',
      orderId && orderId.length > 20 ? `${orderId.slice(0, 19)}…` : (orderId ?? ''),
      token,
    ]);
    lines.push(
      ...(await terminal.table([[reason]])),
      ...(await terminal.table([['', 'row', 'sent (UTC)', 'order_id', 'token'], ...cells])),
      '',
    );
  }
  if (waiting.length > maxReviewed)
    lines.push(`and ${formatCount(waiting.length - maxReviewed)} more: --json prints all.`, '');
  const unknown = waiting.find(({ state }) => state === 'unknown');
  const row = String((unknown ?? waiting[0])?.row);
  return [
    ...lines,
    ...(unknown
      ? [
          'An unknown row may have been applied: look at its order. Then, for one row,',
          'several such as 17,19, or all unknown rows with "all":',
        ]
      : [
          'A rejected row was not applied. For one row, several such as 17,19, or all',
          'rejected rows with "rejected":',
        ]),
    `  it was applied:  ${sendLine(file, journalFile, '--resolve', row)}`,
    `  send it again:   ${sendLine(file, journalFile, '--retry', row)}`,
    `  give it up:      ${sendLine(file, journalFile, '--discard', row)}`,
  ];
}
