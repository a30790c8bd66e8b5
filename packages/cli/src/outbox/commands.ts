import { setTimeout as sleep } from 'node:timers/promises';
import { migrate, OutboxError, requiredGrants, type UpdateStatus } from '@orders/outbox';
import type { InboxEvent } from '@orders/outbox/inbox';
import {
  CommandError,
  type CommandInput,
  describeError,
  type ExitCode,
  formatCount,
  formatNumberOf,
} from '../terminal.ts';
import {
  acceptedAt,
  drawEvent,
  drawHistory,
  drawStatus,
  drawUpdate,
  hideSecrets,
  type StatusReport,
} from './draw.ts';
import {
  connectToWorker,
  findWorkerOr,
  type LocationOptions,
  nameFlags,
  naming,
  type Operations,
  openOperations,
  openStore,
  outboxLine,
  readLocation,
} from './operations.ts';

interface Filters {
  readonly needsReview?: true;
  readonly rejected?: true;
  readonly code?: string;
}

/** Runs a command on the outbox that its options name. */
async function withOperations<Options extends LocationOptions>(
  { options, env, terminal }: CommandInput<Options>,
  run: (operations: Operations) => Promise<ExitCode>,
): Promise<ExitCode> {
  return naming<ExitCode>(options, async () => {
    const operations = await terminal.waitFor(
      'the outbox to open',
      openOperations(readLocation(options, env), terminal.note),
    );
    try {
      return await run(operations);
    } finally {
      await operations.close();
    }
  });
}

const noWorker = 'No worker is running.';
/** How often `status --watch` looks, in milliseconds. */
const watchMs = 1_000;

/** Shows the backlog, and what holds it up. Exits with 1 when updates wait for a decision. @throws CommandError */
export async function runStatus(
  input: CommandInput<LocationOptions & { readonly watch?: true }>,
): Promise<ExitCode> {
  const { options, terminal } = input;
  return withOperations(input, async (operations) => {
    const last = await readStatus(operations);
    if (options.watch) {
      await watchStatus(operations, last, input);
      return 0;
    }
    const { at, place, note, status, events } = last;
    const lineOf = (command: string): string => outboxLine(options, command);
    await terminal.report({ at, place, note, ...status, events }, () => drawStatus(last, lineOf, terminal));
    return status.updates.needsReview + status.updates.rejected + events.needsReview > 0 ? 1 : 0;
  });
}

async function readStatus({ status: read, events, place }: Operations): Promise<StatusReport> {
  const [status, counts] = await Promise.all([read(), events.counts()]);
  const left = status.updates.sending > 0 ? ' What is "sending" needs review once one starts.' : '';
  return {
    at: new Date(),
    place,
    status,
    events: { queued: counts.queued, needsReview: counts.needs_review },
    ...(status.workers.length === 0 && { note: `${noWorker}${left}` }),
  };
}

/** Shows the status every second, until a signal comes or its reader leaves. */
async function watchStatus(
  operations: Operations,
  first: StatusReport,
  { options, env, terminal }: CommandInput<LocationOptions>,
): Promise<void> {
  const location = readLocation(options, env);
  const lineOf = (command: string): string => outboxLine(options, command);
  const ending = AbortSignal.any([terminal.catchInterrupt(), terminal.closed]);
  const screen = await terminal.screen();
  let last = first;
  // A folder is left to a worker; until there is one, nothing changes in it.
  let open: Operations | undefined = operations;
  if (operations.isExclusive) {
    await operations.close();
    open = undefined;
  }
  do {
    let problem: string | undefined;
    try {
      if ('folder' in location) open ??= await connectToWorker(location);
      if (open) last = await readStatus(open);
      else problem = noWorker;
    } catch (error) {
      problem = describeError(error);
      if ('folder' in location) open = undefined;
    }
    const { status, ...rest } =
      problem === undefined ? last : { ...last, note: `${problem} Last seen at ${last.at.toISOString()}.` };
    if (terminal.json) await terminal.report({ ...rest, ...status }, () => []);
    else screen(...(await drawStatus({ ...rest, status }, lineOf, terminal)));
  } while (await sleep(watchMs, true, { signal: ending }).catch(() => false));
}

/** Lists the updates and events that wait for a decision. @throws CommandError */
export async function runList(
  input: CommandInput<LocationOptions & Filters & { readonly limit?: number }>,
): Promise<ExitCode> {
  const { options, terminal } = input;
  return withOperations(input, async (operations) => {
    const { limit = terminal.json ? Number.POSITIVE_INFINITY : 100 } = options;
    const matching = await findUpdates(operations, options);
    const events = await findEvents(operations, options);
    const items = [...matching, ...events]
      .sort((a, b) => acceptedAt(a).getTime() - acceptedAt(b).getTime())
      .slice(0, limit);
    const shown = items.map((item) => {
      if ('receivedAt' in item) return ofEvent(item);
      const { receipt: _, ...update } = item;
      return update;
    });
    await terminal.report(shown, async () => {
      const [first] = items;
      if (!first) return ['No such update or event waits for a decision.'];
      const now = new Date();
      const drawn = await Promise.all(
        items.map((item) =>
          'receivedAt' in item ? drawEvent(item, {}, terminal) : drawUpdate(item, { now }, terminal),
        ),
      );
      const update = items.find((item) => !('receivedAt' in item));
      const ways = update ? ['resolve', 'retry', 'discard'] : ['retry', 'discard'];
      return [
        ...drawn.flatMap((lines) => [...lines, '']),
        update
          ? 'Decide by id, or with --all: it was applied, send it again, or give it up:'
          : 'Decide by id, or with --all: handle it again, or give it up:',
        ...ways.map((name) => `  ${outboxLine(options, name, (update ?? first).id)}`),
        ...(matching.length + events.length > drawn.length
          ? [`These are the oldest ${formatCount(limit)}; --limit shows more.`]
          : []),
      ];
    });
    return 0;
  });
}

/** An event as JSON shows it beside updates. */
function ofEvent(event: InboxEvent): object {
  return { kind: 'event', ...event };
}

/** The events that need review, unless only updates are asked for. */
async function findEvents(
  { events }: Pick<Operations, 'events'>,
  { needsReview, rejected, code }: Filters,
): Promise<readonly InboxEvent[]> {
  if (code !== undefined || (rejected && !needsReview)) return [];
  return events.list({ limit: 100_000 });
}

/** How many updates are read at a time. */
const pageSize = 500;

/** The updates that wait for a decision and match, each once, oldest first. */
async function findUpdates(
  { list }: Pick<Operations, 'list'>,
  { needsReview, rejected, code }: Filters,
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

/** Shows one update, with what was sent and its receipt, or one event. @throws CommandError */
export async function runShow(input: CommandInput<LocationOptions>): Promise<ExitCode> {
  const { args, terminal } = input;
  return withOperations(input, async (operations) => {
    const [id = ''] = args;
    const found = await operations.get(id);
    const event = found ? undefined : await operations.events.get(id);
    if (event) {
      const shown = 'payload' in event ? { ...event, payload: hideSecrets(event.payload, {}) } : event;
      await terminal.report({ kind: 'event', ...shown }, () => drawEvent(shown, { isWhole: true }, terminal));
      return 0;
    }
    if (!found)
      throw new CommandError(`There is no update or event ${id} in this outbox.`, 1, {
        code: 'unknown_update',
      });
    const shown = 'update' in found ? { ...found, update: hideSecrets(found.update) } : found;
    await terminal.report(shown, () => drawUpdate(shown, { now: new Date(), isWhole: true }, terminal));
    return 0;
  });
}

/** Shows the latest updates and events of an order. @throws CommandError */
export async function runHistory(
  input: CommandInput<LocationOptions & { readonly limit?: number }>,
): Promise<ExitCode> {
  const { args, options, terminal } = input;
  const [token = ''] = args;
  const { limit = 100 } = options;
  return withOperations(input, async (operations) => {
    const updates = await operations.history(token, limit);
    const states = ['queued', 'handled', 'needs_review', 'discarded'] as const;
    const events = await operations.events.list({ token, states, limit: 100_000 });
    const items = [...updates, ...events]
      .sort((a, b) => acceptedAt(b).getTime() - acceptedAt(a).getTime())
      .slice(0, limit);
    const shown = items.map((item) => ('receivedAt' in item ? ofEvent(item) : item));
    await terminal.report(shown, () => drawHistory(items, new Date(), terminal));
    return 0;
  });
}

/** Sends what is open to review, after a backup was restored. @throws CommandError */
export async function runRestored(
  input: CommandInput<LocationOptions & { readonly yes?: true }>,
): Promise<ExitCode> {
  const { options, terminal } = input;
  return withOperations(input, async (operations) => {
    const { updates, workers } = await operations.status();
    const { queued } = await operations.events.counts();
    const open = `${formatNumberOf(updates.queued + updates.sending, 'update')} and ${formatNumberOf(queued, 'event')}`;
    if (workers.length > 0)
      terminal.note('A worker runs: end it first, or it may send what it has taken already.');
    if (!options.yes && !(await terminal.confirm(`Send ${open} that are open to review?`)))
      throw new CommandError('Nothing was changed.');
    const reviewed = await operations.restored();
    await terminal.report({ reviewed }, () => [
      `${formatCount(reviewed)} need review: nothing of the backup is sent by itself.`,
      ...(reviewed > 0 ? [`To decide: ${outboxLine(options, 'list')}`] : []),
    ]);
    return 0;
  });
}

/** Ends the pause after a 429. @throws CommandError */
export async function runResume(input: CommandInput<LocationOptions>): Promise<ExitCode> {
  return withOperations(input, async (operations) => {
    await operations.resume();
    await input.terminal.report({ resumed: true }, () => ['The pause has ended.']);
    return 0;
  });
}

interface DecideOptions extends LocationOptions, Filters {
  readonly all?: true;
  readonly yes?: true;
  readonly by?: string;
  readonly note?: string;
}

const decisions = {
  retry: {
    done: 'queued again',
    question: 'Send UPDATES again? Those that need review may be applied twice.',
  },
  resolve: { done: 'applied', question: 'Note UPDATES as applied?' },
  discard: { done: 'discarded', question: 'Give up UPDATES for good?' },
} as const;

/** The command that decides about updates in one way. */
export function decide(name: keyof typeof decisions) {
  return async (input: CommandInput<DecideOptions>): Promise<ExitCode> => {
    checkSelection(input);
    return withOperations(input, async (operations) => {
      const selected = await select(operations, name, input);
      return decideAll(operations, { name, selected }, input);
    });
  };
}

/** @throws CommandError unless either ids or `--all` are given */
function checkSelection({ args, options }: CommandInput<DecideOptions>): void {
  const { all, needsReview, rejected, code } = options;
  if (all && args.length > 0) throw new CommandError('Write either ids or --all.', 2);
  if (!all && args.length === 0)
    throw new CommandError('Write the ids of updates, or --all.', 2, {
      hint: `To see them: ${outboxLine(options, 'list')}`,
    });
  if (!all && (needsReview || rejected || code !== undefined))
    throw new CommandError('--needs-review, --rejected and --code need --all.', 2);
}

/** Updates and events that are decided about. */
interface Selected {
  readonly id: string;
  readonly isEvent: boolean;
}

async function select(
  operations: Operations,
  name: keyof typeof decisions,
  { args, options, terminal }: CommandInput<DecideOptions>,
): Promise<readonly Selected[]> {
  if (!options.all) {
    const isEvent = async (id: string): Promise<boolean> =>
      !(await operations.get(id)) && (await operations.events.get(id)) !== undefined;
    return Promise.all([...new Set(args)].map(async (id) => ({ id, isEvent: await isEvent(id) })));
  }
  const updates = await findUpdates(operations, options);
  const events = name === 'resolve' ? [] : await findEvents(operations, options);
  const found = [
    ...updates.map(({ id }) => ({ id, isEvent: false })),
    ...events.map(({ id }) => ({ id, isEvent: true })),
  ];
  if (found.length === 0 || options.yes) return found;
  const counted = formatNumberOf(updates.length, 'update');
  const and = events.length > 0 ? ` and ${formatNumberOf(events.length, 'event')}` : '';
  const question = decisions[name].question.replace('UPDATES', counted + and);
  if (await terminal.confirm(question)) return found;
  throw new CommandError('Nothing was changed.');
}

async function decideAll(
  operations: Operations,
  { name, selected }: { readonly name: keyof typeof decisions; readonly selected: readonly Selected[] },
  { options, terminal }: CommandInput<DecideOptions>,
): Promise<ExitCode> {
  const { by, note, all } = options;
  const decision = { ...(by !== undefined && { by }), ...(note !== undefined && { note }) };
  const done: string[] = [];
  const failed: { id: string; code: string; message: string }[] = [];
  const decideOne = async ({ id, isEvent }: Selected): Promise<{ readonly token: string }> => {
    if (name !== 'resolve') return (isEvent ? operations.events : operations)[name](id, decision);
    if (!isEvent) return operations.resolve(id, 'applied', decision);
    throw new OutboxError(
      'nothing_to_decide',
      `${id} is an event: retry handles it again, discard gives it up.`,
    );
  };
  try {
    // Several at once could change the sequence of an order.
    for (const each of selected) {
      const { id } = each;
      try {
        const { token } = await decideOne(each);
        done.push(id);
        if (!terminal.json) terminal.print(`${id}  ${decisions[name].done}  ${token}`);
      } catch (error) {
        // Any other error concerns the rest, too.
        if (!(error instanceof OutboxError) || error.code === 'database_unusable') throw error;
        const message = nameFlags(error.message, options);
        failed.push({ id, code: error.code, message });
        terminal.note(`orders: ${error.code}: ${message}`);
      }
    }
  } finally {
    const events = selected.some(({ isEvent }) => isEvent) ? ' and events' : '';
    await terminal.report({ [name]: done, failed }, () =>
      all ? [`${formatNumberOf(done.length, 'update')}${events} ${decisions[name].done}.`] : [],
    );
  }
  return failed.length === 0 ? 0 : 1;
}

/** Makes the tables of an outbox, or brings them up to date. @throws CommandError */
export async function runMigrate({
  options,
  terminal,
  env,
}: CommandInput<LocationOptions>): Promise<ExitCode> {
  const location = readLocation(options, env);
  const { databaseSchema } = location;
  return naming<ExitCode>(options, async () => {
    const found =
      'folder' in location
        ? await findWorkerOr(location, () => openStore(location))
        : { opened: await openStore(location) };
    if ('worker' in found) {
      await terminal.report({ place: found.worker.place, databaseSchema }, () => [
        'The tables are up to date: a worker runs on them.',
      ]);
      return 0;
    }
    const store = found.opened;
    try {
      await migrate(store, { databaseSchema });
    } finally {
      await store.close();
    }
    const grants = store.backend === 'postgres' ? requiredGrants(databaseSchema, 'its_role') : [];
    await terminal.report({ place: store.place, databaseSchema, grants }, () => [
      `The tables in schema ${databaseSchema} of ${store.place} are up to date.`,
      ...(grants.length > 0 ? ['A process with a role of its own needs:'] : []),
      ...grants.map((grant) => `  ${grant};`),
    ]);
    return 0;
  });
}
