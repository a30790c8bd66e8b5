import { setTimeout as sleep } from 'node:timers/promises';
import { migrate, OutboxError, requiredGrants, type UpdateStatus } from '../index.ts';
import type { GivenCommand, Options, Place } from './arguments.ts';
import {
  drawDetails,
  drawHistory,
  drawStatus,
  drawUpdate,
  hideSecrets,
  type StatusReport,
  toJson,
} from './draw.ts';
import { CommandError, describeError } from './errors.ts';
import { connectToWorker, findWorkerOr, namingFlags, type Operations, openStore } from './operations.ts';

/** Where a command writes. */
export interface Terminal {
  /** Prints lines; what would control a terminal is left out. */
  print(...lines: readonly string[]): void;
  writeError(message: string): void;
  /** Clears the screen, where there is one. */
  clear(): void;
  /** Lets a person confirm something; `undefined` where there is no terminal. */
  readonly confirm: ((question: string) => Promise<boolean>) | undefined;
  /** Fires when the output is no longer read, or a signal ends the command. */
  readonly ending: AbortSignal;
}

/** Runs a command that needs the operations of an outbox. Resolves with whether all was done. @throws CommandError; OutboxError */
export async function runCommand(
  operations: Operations,
  { name, args, place, options }: GivenCommand,
  terminal: Terminal,
): Promise<boolean> {
  const [first = ''] = args;
  const print = (value: unknown, draw: () => readonly string[]): void =>
    terminal.print(...(options.json ? [toJson(value)] : draw()));
  switch (name) {
    case 'status':
      await showStatus(operations, { place, options }, terminal);
      return true;
    case 'list':
      await listUpdates(operations, options, terminal);
      return true;
    case 'show': {
      const found = await operations.get(first);
      if (!found) throw new CommandError(`unknown_update: There is no update ${first} in this outbox.`);
      const shown = 'update' in found ? { ...found, update: hideSecrets(found.update) } : found;
      print(shown, () => drawDetails(shown, new Date()));
      return true;
    }
    case 'history': {
      const updates = await operations.history(first, options.limit ?? usualLimit);
      print(updates, () => drawHistory(updates));
      return true;
    }
    case 'resume':
      await operations.resume();
      print({ resumed: true }, () => ['The pause has ended.']);
      return true;
    default:
      return decide(operations, { name: name as keyof typeof decisions, args, options }, terminal);
  }
}

const usualLimit = 100;
/** How often `status --watch` looks, in milliseconds. */
const watchMs = 1_000;

async function showStatus(
  operations: Operations,
  { place, options }: Pick<GivenCommand, 'place' | 'options'>,
  { print, clear, ending }: Terminal,
): Promise<void> {
  const show = (report: StatusReport): void => {
    const { status, ...rest } = report;
    print(...(options.json ? [toJson({ ...rest, ...status })] : drawStatus(report)));
  };
  let last = await readStatus(operations);
  if (!options.watch) return show(last);
  // A folder is left to a worker; until there is one, nothing changes in it.
  let open: Operations | undefined = operations;
  if (operations.isExclusive) {
    await operations.close();
    open = undefined;
  }
  do {
    let problem: string | undefined;
    try {
      if ('folder' in place) open ??= await connectToWorker(place);
      if (open) last = await readStatus(open);
      else problem = noWorker;
    } catch (error) {
      problem = describeError(error);
      if ('folder' in place) open = undefined;
    }
    if (!options.json) clear();
    show(
      problem === undefined ? last : { ...last, note: `${problem} Last seen at ${last.at.toISOString()}.` },
    );
  } while (await sleep(watchMs, true, { signal: ending }).catch(() => false));
}

const noWorker = 'No worker is running.';

async function readStatus({ status: read, place }: Operations): Promise<StatusReport> {
  const status = await read();
  const left = status.updates.sending > 0 ? ' What is "sending" needs review once one starts.' : '';
  return {
    at: new Date(),
    place,
    status,
    ...(status.workers.length === 0 && { note: `${noWorker}${left}` }),
  };
}

async function listUpdates(operations: Operations, options: Options, { print }: Terminal): Promise<void> {
  const { json, limit = json ? Number.POSITIVE_INFINITY : usualLimit } = options;
  const matching = await findUpdates(operations, options);
  const found = matching.slice(0, limit);
  if (json) return print(toJson(found.map(({ receipt: _, ...update }) => update)));
  if (found.length === 0) return print('No such update waits for a decision.');
  for (const update of found) print(...drawUpdate(update, new Date()), '');
  print('Decide with "orders-outbox retry", "resolve" (it was applied) or "discard".');
  if (matching.length > found.length) print(`These are the oldest ${limit}; --limit shows more.`);
}

/** How many updates are read at a time. */
const pageSize = 500;

/** The updates that wait for a decision and match, each once, oldest first. */
async function findUpdates(
  { list }: Pick<Operations, 'list'>,
  { needsReview, rejected, code }: Options,
): Promise<readonly UpdateStatus[]> {
  const states = (['needs_review', 'rejected'] as const).filter(
    (state) => needsReview === rejected || (state === 'rejected') === (rejected ?? false),
  );
  // Where the last of a page is deleted meanwhile, the next page begins again.
  const found = new Map<string, UpdateStatus>();
  let page: readonly UpdateStatus[] = [];
  do {
    page = await list({ states, limit: pageSize, after: page.at(-1)?.id });
    for (const update of page) found.set(update.id, update);
  } while (page.length === pageSize);
  return [...found.values()].filter(
    ({ code: own, status }) => code === undefined || code === own || code === String(status),
  );
}

const decisions = { retry: 'queued again', resolve: 'applied', discard: 'discarded' } as const;

interface Decide {
  readonly name: keyof typeof decisions;
  readonly args: readonly string[];
  readonly options: Options;
}

async function decide(
  operations: Operations,
  { name, args, options }: Decide,
  { print, writeError, confirm }: Terminal,
): Promise<boolean> {
  const { by, note, json } = options;
  const decision = { ...(by !== undefined && { by }), ...(note !== undefined && { note }) };
  let ids = args;
  if (options.all) {
    if (name === 'discard' && !options.yes && !confirm)
      throw new CommandError('discard --all needs --yes where there is no terminal to confirm it.', 2);
    ids = (await findUpdates(operations, options)).map(({ id }) => id);
    if (name === 'discard' && !options.yes && ids.length > 0) {
      const isSure = await confirm?.(`Discard ${ids.length} updates for good? Write yes: `);
      if (!isSure) throw new CommandError('Nothing was discarded.');
    }
  }
  const done: string[] = [];
  const failed: { id: string; code: string; message: string }[] = [];
  try {
    // Several at once could change the sequence of an order.
    for (const id of ids) {
      try {
        const { token } =
          name === 'resolve'
            ? await operations.resolve(id, 'applied', decision)
            : await operations[name](id, decision);
        done.push(id);
        if (!json) print(`${id} of order ${token} is ${decisions[name]}.`);
      } catch (error) {
        // Any other error concerns the rest, too.
        if (!(error instanceof OutboxError) || error.code === 'database_unusable') throw error;
        failed.push({ id, code: error.code, message: error.message });
        writeError(`${error.code}: ${error.message}`);
      }
    }
  } finally {
    if (json) print(toJson({ [name]: done, failed }));
    else if (options.all) print(`Updates ${decisions[name]}: ${done.length}.`);
  }
  return failed.length === 0;
}

/** Makes the tables of an outbox, or brings them up to date. @throws CommandError; OutboxError */
export async function runMigrate(place: Place, { json }: Options, { print }: Terminal): Promise<void> {
  const { databaseSchema } = place;
  const found =
    'folder' in place
      ? await findWorkerOr(place, () => openStore(place))
      : { opened: await openStore(place) };
  if ('worker' in found)
    return print(
      json
        ? toJson({ place: found.worker.place, databaseSchema })
        : 'The tables are up to date: a worker runs on them.',
    );
  const store = found.opened;
  try {
    await migrate(store, { databaseSchema }).catch(namingFlags);
  } finally {
    await store.close();
  }
  const grants = store.backend === 'postgres' ? requiredGrants(databaseSchema, 'its_role') : [];
  if (json) return print(toJson({ place: store.place, databaseSchema, grants }));
  print(`The tables in schema ${databaseSchema} of ${store.place} are up to date.`);
  if (grants.length > 0)
    print('A process with a role of its own needs:', ...grants.map((grant) => `  ${grant};`));
}
