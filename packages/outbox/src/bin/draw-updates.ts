import Table from 'cli-table3';
import type { UpdateStatus } from '../update-status.ts';
import { describeAge } from './describe-age.ts';
import type { Decision } from './operations.ts';
import { plainly } from './plainly.ts';
import type { Paint } from './screen.ts';

/** Draws updates that wait for a decision, each as a block of lines. */
export function drawDecisions(decisions: readonly Decision[], now: Date, paint: Paint): string {
  const blocks = decisions.map((decision) => {
    const { id, state, settledAt } = decision;
    const since = settledAt
      ? ` since ${settledAt.toISOString()} (${describeAge(now.getTime() - settledAt.getTime())})`
      : '';
    return [`${id} ${paint(state, 'alarm')}${since}`, ...drawFacts(decision)].join('\n');
  });
  const next = 'Send again with "orders-outbox retry", or give up with "orders-outbox discard".';
  return `${blocks.join('\n\n')}\n\n${next}\n`;
}

/** Draws all that is known of one update. */
export function drawUpdate(update: UpdateStatus, paint: Paint): string {
  const { id, state, attempts, createdAt, sendingAt, settledAt, receipt } = update;
  return [
    `${id} ${paint(state, state === 'parked' || state === 'rejected' ? 'alarm' : 'fine')}`,
    ...drawFacts(update),
    `  accepted  ${createdAt.toISOString()}`,
    ...(sendingAt
      ? [`  tried     ${sendingAt.toISOString()}, ${attempts === 1 ? 'once' : `${attempts} times in all`}`]
      : []),
    ...(settledAt ? [`  settled   ${settledAt.toISOString()}`] : []),
    ...(receipt === undefined || state === 'sending'
      ? []
      : [`  receipt   ${plainly(JSON.stringify(receipt))}`]),
    '',
  ].join('\n');
}

/** Draws the updates of an order as a table. */
export function drawHistory(updates: readonly UpdateStatus[]): string {
  if (updates.length === 0) return 'The outbox knows no update of this order, or no longer.\n';
  const table = new Table({
    head: ['update', 'state', 'accepted', 'attempts', 'code, status'],
    colAligns: ['left', 'left', 'left', 'right', 'left'],
    style: { head: [], border: [], compact: true },
  });
  for (const { id, state, createdAt, attempts, code = '', status } of updates) {
    table.push([id, state, createdAt.toISOString(), attempts, codeOf(code, status)]);
  }
  return `${table.toString()}\n`;
}

function drawFacts({ token, state, code, status, message, issues = [] }: Decision): string[] {
  const ofTry = state === 'sending' ? ', of the try before' : '';
  return [
    `  order     ${plainly(token)}`,
    ...(code === undefined ? [] : [`  code      ${codeOf(code, status)}${ofTry}`]),
    ...(message === undefined ? [] : [`  message   ${plainly(message)}`]),
    ...issues.map(({ path, message: problem, hint }) => {
      const at = path === '' ? '' : `${path}: `;
      return `  issue     ${plainly(`${at}${problem}${hint === undefined ? '' : ` (${hint})`}`)}`;
    }),
  ];
}

function codeOf(code: string, status: number | undefined): string {
  return plainly(`${code} ${status ?? ''}`.trim());
}
