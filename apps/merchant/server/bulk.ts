import { randomUUID } from 'node:crypto';
import { ReadableStream as ByteStream } from 'node:stream/web';
import { setTimeout as sleep } from 'node:timers/promises';
import { OutboxError, type OutboxStore, type Sql, type UpdateStatus } from '@orders/outbox';
import { Hono } from 'hono';
import { type BulkRowState, bulkRowStates, RowsChoice } from '../shared/api.ts';
import { type BulkIssue, type FileRow, readBulkFile } from './bulk-file.ts';
import { isoTime, rowsOf } from './database.ts';
import { ApiError, isLockTimeout, type Log, logError } from './errors.ts';
import type { Events } from './events.ts';
import { isId, pageSize, readNumber, toPage } from './pages.ts';
import { enqueueUpdates, type UpdateParts } from './updates.ts';

export interface BulkParts {
  readonly store: OutboxStore;
  readonly bulks: Bulks;
  readonly log: Log;
}

interface RowRecord {
  readonly row: number;
  readonly token: string | null;
  readonly issues: string | null;
  readonly update_id: string | null;
  readonly state: BulkRowState;
  readonly outcome: string | null;
}

/** The routes under `/api/bulks`: a file of updates, its progress and its result file. */
export function bulkRoutes({ store, bulks, log }: BulkParts) {
  return new Hono()
    .get('/', async (c) => {
      const after = readNumber(c.req.query('after'), { fallback: Number.MAX_SAFE_INTEGER });
      const rows = await readBulks(store, after);
      const { items, ...page } = toPage(rows, ({ number }) => number, listed);
      return c.json({ bulks: items.map(viewBulk), ...page });
    })
    .post('/', async (c) => {
      const name = (c.req.query('name') ?? 'updates').replace(/[\p{Cc}\p{Cs}]/gu, '').slice(0, 200);
      const decimals = readChoice('decimals', c.req.query('decimals') ?? '0', ['0', '1', '2', '3']);
      const choice = readChoice('rows', c.req.query('rows') ?? 'refuse', RowsChoice.options);
      const rows = await readBulkFile(new Uint8Array(await c.req.arrayBuffer()), name, {
        decimals: Number(decimals),
        ...(choice !== 'refuse' && { rows: choice }),
      });
      return c.json(await findBulk(store, await insertBulk(store, name, rows)), 201);
    })
    .get('/:id', async (c) => {
      const bulk = await findBulk(store, c.req.param('id'));
      const { state, after } = c.req.query();
      const from = readNumber(after, { max: maxRow, fallback: 0 });
      const rows = await readRows(store, bulk.id, { state, after: from, limit: pageSize + 1 });
      const { items, ...page } = toPage(rows, ({ row }) => row);
      return c.json({ bulk, rows: items.map(viewRow), ...page });
    })
    .post('/:id/send', async (c) => c.json(await bulks.change(c.req.param('id'), 'sending'), 202))
    .post('/:id/discard', async (c) => c.json(await bulks.change(c.req.param('id'), 'discarded')))
    .get('/:id/result.csv', async (c) => {
      const { id } = await findBulk(store, c.req.param('id'));
      c.header('Content-Type', 'text/csv; charset=utf-8');
      c.header('Content-Disposition', 'attachment; filename="result.csv"');
      const encoder = new TextEncoder();
      async function* read() {
        try {
          for await (const text of readResult(store, id)) yield encoder.encode(text);
        } catch (error) {
          logError(log, error as Error, { c, status: 500 });
          // It breaks the connection, so that no part of the file is taken for all of it.
          throw new Error('The result file could not be read to its end.');
        }
      }
      return c.body(ByteStream.from(read()) as ReadableStream);
    });
}

/** A misspelled choice must not be another one: amounts would be sent in another scale. @throws ApiError */
function readChoice<Choice extends string>(name: string, text: string, choices: readonly Choice[]): Choice {
  const chosen = choices.find((choice) => choice === text);
  if (chosen !== undefined) return chosen;
  throw new ApiError(400, 'bad_request', `${name}: Write one of ${choices.join(', ')}.`);
}

/** The database holds no larger number of a row. */
const maxRow = 2 ** 31 - 1;
/** How many bulks a page of the list has. */
const listed = 20;

/** Sends and discards bulks in the background, one transaction of a few rows at a time. */
export interface Bulks {
  change(id: string, state: 'sending' | 'discarded'): ReturnType<typeof findBulk>;
  close(): Promise<void>;
}

export interface BulksOptions extends Pick<UpdateParts, 'store' | 'outbox'> {
  readonly events: Pick<Events, 'changed'>;
  readonly log: Log;
}

/** Rows that are queued in one transaction, or discarded at once: other requests wait for them on PGlite. */
const rowsPerTransaction = 20;
/** When a row that was being sent is discarded after all, or what failed is done again, in milliseconds. */
const againMs = 500;
/** How often a bulk is looked for that no process works on, in milliseconds. */
const pickUpMs = 5_000;

/** Begins where another process was interrupted: a row is queued and marked in one transaction, or neither. */
export async function startBulks(options: BulksOptions): Promise<Bulks> {
  const { store, events, log } = options;
  const ending = new AbortController();
  const running = new Map<string, Promise<void>>();

  async function work(id: string): Promise<void> {
    // Rounds in a row that failed, and whether the log says so.
    let failures = 0;
    let isFailing = false;
    while (!ending.signal.aborted) {
      let waitMs = 1;
      try {
        const state = await workOnce(options, id, ending.signal);
        if (state === 'done') return;
        if (state === 'wait') waitMs = againMs;
        failures = 0;
        isFailing = false;
      } catch (error) {
        if (ending.signal.aborted) return;
        const message = `Bulk ${id} is interrupted: ${error instanceof Error ? error.message : 'unknown error'}`;
        // Another app may work on the same bulk: it lets go of it soon.
        const patience = isLockTimeout(error) ? 20 : 1;
        if (++failures >= patience && !isFailing) {
          isFailing = true;
          log({ level: 'error', message });
        }
        waitMs = againMs;
      }
      events.changed();
      // Even a short delay is the turn of requests: PGlite runs in this thread, and never waits for the network.
      await sleep(waitMs, undefined, { signal: ending.signal }).catch(() => {});
    }
  }

  function run(id: string): void {
    const working = (running.get(id) ?? Promise.resolve()).then(() => work(id));
    running.set(id, working);
    void working.then(() => running.get(id) === working && running.delete(id));
  }

  /** Goes on with what another process left, or this one before it was started. */
  async function pickUp(): Promise<void> {
    const left = await rowsOf<{ id: string }>(
      store,
      `select id from merchant.bulks as b where state in ('sending', 'discarded') and (
         ${hasRow(`state in ('ready', 'locked')`)} or state = 'discarded' and ${hasRow(`state in ('queued', 'sending')`)})`,
    );
    for (const { id } of left) if (!running.has(id)) run(id);
  }

  // What an earlier process did not store to its end; another one may be storing now.
  await store.query(
    `delete from merchant.bulks where state = 'storing' and created_at < now() - interval '1 hour'`,
  );
  await pickUp();
  // A database that is away now is asked again.
  const picking = setInterval(() => void pickUp().catch(() => {}), pickUpMs);
  return {
    async change(id, state) {
      await findBulk(store, id);
      // What was discarded stays so.
      await store.query(`update merchant.bulks set state = $2 where id = $1 and state <> 'discarded'`, [
        id,
        state,
      ]);
      run(id);
      events.changed();
      return findBulk(store, id);
    },
    async close() {
      clearInterval(picking);
      ending.abort();
      await Promise.all(running.values());
    },
  };
}

type Progress = 'more' | 'wait' | 'done';

/** Enqueues the next rows of a bulk, or discards those that are still queued. */
async function workOnce(options: BulksOptions, id: string, signal: AbortSignal): Promise<Progress> {
  const [bulk] = await rowsOf<{ state: string }>(
    options.store,
    'select state from merchant.bulks where id = $1',
    [id],
  );
  return bulk?.state === 'sending' ? sendRows(options, id, signal) : discardRows(options, id);
}

/** Enqueues the next rows, and once there are none, those of orders that another session held. */
async function sendRows(options: BulksOptions, id: string, signal: AbortSignal): Promise<Progress> {
  const { store } = options;
  if (await enqueueRows(options, id)) return 'more';
  const locked = await rowsOf<{ token: string }>(
    store,
    `select distinct token from merchant.bulk_rows where bulk_id = $1 and state = 'locked'`,
    [id],
  );
  let progress: Progress = locked.length > 0 ? 'wait' : 'done';
  for (const { token } of locked) {
    if (signal.aborted) break;
    if (!(await enqueueRows(options, id, { token, limit: 1 }))) continue;
    await store.query(
      `update merchant.bulk_rows set state = 'ready' where bulk_id = $1 and token = $2 and state = 'locked'`,
      [id, token],
    );
    progress = 'more';
  }
  return progress;
}

async function discardRows({ store, outbox }: BulksOptions, id: string): Promise<Progress> {
  await store.query(
    `update merchant.bulk_rows set state = 'discarded' where bulk_id = $1 and state in ('ready', 'locked')`,
    [id],
  );
  const rows = await rowsOf<{ update_id: string }>(
    store,
    `select update_id from merchant.bulk_rows where bulk_id = $1 and state in ('queued', 'sending') order by row desc`,
    [id],
  );
  let isOpen = false;
  // From the last row back, so that discarding one does not send the next.
  for (let start = 0; start < rows.length; start += rowsPerTransaction) {
    const page = rows.slice(start, start + rowsPerTransaction);
    const waits = await Promise.all(page.map(({ update_id }) => discard(outbox, update_id)));
    isOpen ||= waits.includes(true);
  }
  return isOpen ? 'wait' : 'done';
}

/** Gives up an update that is queued. Resolves with whether it may still be queued, or be queued again. */
async function discard(outbox: BulksOptions['outbox'], id: string): Promise<boolean> {
  const update = await outbox.get(id);
  // An unknown outcome waits for a person, and what a person sent again stays queued.
  if (!update || update.decision) return false;
  if (update.state !== 'queued') return update.state === 'sending';
  try {
    await outbox.discard(id, { note: 'bulk discarded' });
    return false;
  } catch (error) {
    // It is being sent, was settled meanwhile, or another session holds its order.
    const isPassing =
      error instanceof OutboxError &&
      ['nothing_to_decide', 'unknown_update', 'order_locked'].includes(error.code);
    if (!isPassing) throw error;
    return true;
  }
}

interface ReadyRow {
  readonly row: number;
  readonly token: string;
  readonly body: string;
}

/**
 * Enqueues the first rows that are ready, or the first of an order that another session held. Those that fail together are
 * enqueued one by one: a row that the outbox refuses is invalid, and those of an order that is held wait. Resolves with
 * whether there was a row to go on with.
 */
async function enqueueRows(
  options: BulksOptions,
  id: string,
  { token, limit = rowsPerTransaction }: { readonly token?: string; readonly limit?: number } = {},
): Promise<boolean> {
  const { store, outbox } = options;
  let rows: readonly ReadyRow[] = [];
  try {
    await store.transaction(
      async (tx) => {
        rows = await readOpenRows(tx, id, { token, limit });
        if (rows.length > 0) await enqueue(outbox, tx, id, rows);
      },
      { isRepeated: true },
    );
    return rows.length > 0;
  } catch (error) {
    const [first, ...others] = rows;
    if (!first) throw error;
    if (others.length > 0) {
      for (const _ of rows) await enqueueRows(options, id, { limit: 1 });
      return true;
    }
    if (isLockTimeout(error)) {
      await store.query(
        `update merchant.bulk_rows set state = 'locked' where bulk_id = $1 and token = $2 and state = 'ready'`,
        [id, first.token],
      );
      return false;
    }
    // The outbox names the update that it refuses; any other error is none of the row.
    const [, message] = /^enqueueAll: updates\[0\]: (.+)/s.exec((error as Error).message) ?? [];
    if (message === undefined) throw error;
    const issue = { path: '', message: message.charAt(0).toUpperCase() + message.slice(1) };
    await refuseRow(store, id, { row: first.row, issue });
    return true;
  }
}

async function readOpenRows(
  tx: Sql,
  id: string,
  { token, limit }: { readonly token: string | undefined; readonly limit: number },
): Promise<readonly ReadyRow[]> {
  // The lock keeps the rows in sequence where two processes work on one bulk.
  const [bulk] = await rowsOf<{ state: string }>(
    tx,
    'select state from merchant.bulks where id = $1 for update',
    [id],
  );
  if (bulk?.state !== 'sending') return [];
  return rowsOf(
    tx,
    `select row, token, body from merchant.bulk_rows
     where bulk_id = $1 and ${token === undefined ? `state = 'ready'` : `state = 'locked' and token = $3`} order by row limit $2`,
    [id, limit, ...(token === undefined ? [] : [token])],
  );
}

async function enqueue(
  outbox: BulksOptions['outbox'],
  tx: Sql,
  id: string,
  rows: readonly ReadyRow[],
): Promise<void> {
  const updates = rows.map(({ row, token, body }) => ({
    row,
    id: randomUUID(),
    token,
    update: JSON.parse(body),
    source: 'bulk' as const,
  }));
  await enqueueUpdates(outbox, tx, updates);
  await tx.query(
    `update merchant.bulk_rows as r set state = 'queued', update_id = queued.id, body = null
     from unnest($2::int[], $3::uuid[]) as queued (row, id) where r.bulk_id = $1 and r.row = queued.row`,
    [id, updates.map(({ row }) => row), updates.map((update) => update.id)],
  );
}

async function refuseRow(
  sql: Sql,
  id: string,
  { row, issue }: { readonly row: number; readonly issue: BulkIssue },
): Promise<void> {
  await sql.query(
    `with refused as (
       update merchant.bulk_rows set state = 'invalid', issues = $3, body = null
       where bulk_id = $1 and row = $2 and state in ('ready', 'locked') returning bulk_id
     )
     update merchant.bulks set invalid = invalid + 1 where id in (select bulk_id from refused)`,
    [id, row, JSON.stringify([issue])],
  );
}

/** Stores the rows of a bulk, page by page: on PGlite, a transaction would hold every other request up. */
async function insertBulk(store: OutboxStore, name: string, rows: readonly FileRow[]): Promise<string> {
  const id = randomUUID();
  await store.query(`insert into merchant.bulks (id, name, state) values ($1, $2, 'storing')`, [id, name]);
  try {
    for (const page of inPages(rows)) {
      await store.query(
        `insert into merchant.bulk_rows (bulk_id, row, token, body, issues, state)
         select $1, row, token, body, issues, case when issues is null then 'ready' else 'invalid' end
         from unnest($2::int[], $3::text[], $4::text[], $5::text[]) as page (row, token, body, issues)`,
        [
          id,
          page.map(({ row }) => row),
          page.map(({ token }) => token),
          page.map(({ body }) => body),
          page.map(({ issues }) => issues),
        ],
      );
    }
    // A planner that takes a bulk for a few rows reads all of them to find one. PGlite never looks by itself, and where
    // another process looks already, or this one may not, the bulk is stored all the same.
    await store.query('analyze (skip_locked) merchant.bulk_rows (bulk_id, row, state)').catch(() => {});
    await store.query(`update merchant.bulks set state = 'ready', rows = $2, invalid = $3 where id = $1`, [
      id,
      rows.length,
      rows.filter(({ issues }) => issues.length > 0).length,
    ]);
  } catch (error) {
    await store.query('delete from merchant.bulks where id = $1', [id]).catch(() => {});
    throw error;
  }
  return id;
}

/** Rows as they are stored, as many at once as one statement takes in a moment. */
function* inPages(rows: readonly FileRow[]) {
  let page: (Pick<RowRecord, 'row' | 'token' | 'issues'> & { readonly body: string | null })[] = [];
  let length = 0;
  for (const { row, token, update, issues } of rows) {
    const body = update ? JSON.stringify(update) : null;
    page.push({ row, token, body, issues: issues.length > 0 ? JSON.stringify(issues) : null });
    length += body?.length ?? 0;
    if (page.length < 500 && length < 200_000) continue;
    yield page;
    page = [];
    length = 0;
  }
  yield page;
}

type BulkState = 'ready' | 'sending' | 'waiting' | 'done' | 'stopped' | 'discarded';

interface BulkRecord {
  readonly id: string;
  readonly number: string;
  readonly name: string;
  readonly created_at: string;
  readonly state: 'ready' | 'sending' | 'discarded';
  readonly rows: number;
  readonly invalid: number;
  readonly is_moving: boolean;
  readonly is_waiting: boolean;
  readonly is_sent: boolean;
}

/** A row waits while an update of its order needs review. */
const isWaiting = `state = 'queued' and exists (
    select from merchant.updates where token = r.token and state = 'needs_review')`;
const rowState = `case when ${isWaiting} then 'waiting' else state end`;

// In the sequence of its index, or the planner reads the rows of all bulks, expecting one soon.
const hasRow = (condition: string): string =>
  `coalesce((select true from merchant.bulk_rows as r where bulk_id = b.id and ${condition} order by state, row limit 1), false)`;

/** A bulk without its rows, of which only indexes are asked whether there is one in a state. */
const bulkColumns = `id, number::text, name, ${isoTime('created_at')} as created_at, state, rows, invalid,
  ${hasRow(`state in ('ready', 'locked', 'queued', 'sending') and not (${isWaiting})`)} as is_moving,
  ${hasRow(`state in ('queued', 'needs_review')`)} as is_waiting,
  ${hasRow(`state in ('sending', 'applied', 'rejected', 'needs_review')`)} as is_sent`;

/** Newest first; one more than a page has. */
function readBulks(sql: Sql, after: number): Promise<BulkRecord[]> {
  return rowsOf(
    sql,
    `select ${bulkColumns} from merchant.bulks as b
     where state <> 'storing' and b.number < $1 order by b.number desc limit $2`,
    [after, listed + 1],
  );
}

function viewBulk(bulk: BulkRecord) {
  const { id, name, created_at, rows, invalid } = bulk;
  return { id, name, createdAt: created_at, state: stateOf(bulk), rows, invalid };
}

function stateOf({ state, is_moving, is_waiting, is_sent }: BulkRecord): BulkState {
  if (state === 'ready') return 'ready';
  // Nothing more is sent before a person decides.
  if (is_waiting && !is_moving) return 'waiting';
  // `stopped`: only what was not sent yet is discarded.
  if (state === 'discarded') return is_sent ? 'stopped' : 'discarded';
  return is_moving ? 'sending' : 'done';
}

/** @throws ApiError 404 when there is no such bulk. */
async function findBulk(sql: Sql, id: string) {
  const [bulk] = isId(id)
    ? await rowsOf<BulkRecord>(
        sql,
        `select ${bulkColumns} from merchant.bulks as b where state <> 'storing' and id = $1`,
        [id],
      )
    : [];
  if (!bulk) throw new ApiError(404, 'unknown_bulk', 'There is no such bulk.');
  const counted = await rowsOf<{ state: BulkRowState; count: number }>(
    sql,
    `select ${rowState} as state, count(*)::int as count from merchant.bulk_rows as r where bulk_id = $1 group by 1`,
    [id],
  );
  const counts = Object.fromEntries(bulkRowStates.map((state) => [state, 0])) as Record<BulkRowState, number>;
  for (const { state, count } of counted) counts[state] = count;
  return { ...viewBulk(bulk), counts };
}

interface RowsPage {
  readonly state?: string | undefined;
  readonly after: number;
  readonly limit: number;
}

/** Rows in the sequence of the file. */
function readRows(sql: Sql, id: string, { state, after, limit }: RowsPage): Promise<RowRecord[]> {
  return rowsOf(
    sql,
    `select row, token, issues, update_id, ${rowState} as state, outcome from merchant.bulk_rows as r
     where bulk_id = $1 and row > $2 ${state === undefined ? '' : `and ${rowState} = $4`} order by row limit $3`,
    [id, after, limit, ...(state === undefined ? [] : [state])],
  );
}

function viewRow({ row, token, issues, update_id, state, outcome }: RowRecord) {
  return {
    row,
    token,
    state,
    updateId: update_id,
    issues: JSON.parse(issues ?? '[]') as readonly BulkIssue[],
    ...(JSON.parse(outcome ?? '{}') as Pick<UpdateStatus, 'code' | 'message' | 'status'>),
  };
}

/** One line for each row, in the sequence of the file, in parts that are read as they are needed. */
async function* readResult(sql: Sql, id: string): AsyncGenerator<string> {
  // Spreadsheets take UTF-8 for something else without a byte order mark.
  yield '\uFEFFrow,token,state,status,message\r\n';
  const limit = 500;
  for (let after = 0; ; ) {
    const rows = await readRows(sql, id, { after, limit });
    const lines = rows.map(viewRow).map(({ row, token, state, status = '', message, code, issues }) => {
      const problems = issues.map((issue) =>
        [issue.path && `${issue.path}: `, issue.message, issue.hint && `. ${issue.hint}`].join(''),
      );
      return `${[row, formatCell(token ?? ''), state, status, formatCell(message ?? code ?? problems.join(' | '))].join(',')}\r\n`;
    });
    yield lines.join('');
    const last = rows.at(-1);
    if (!last || rows.length < limit) return;
    after = last.row;
  }
}

/**
 * A cell that no spreadsheet runs: an apostrophe stands before what it would take for a formula, after separators of other
 * countries too (OWASP, CSV Injection).
 */
export function formatCell(text: string): string {
  const safe = text.replace(/(^|[,;\t\r\n])(?=[ "]*[=+\-@\t\r＝＋－＠])/g, "$1'");
  return /[",;\t\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
