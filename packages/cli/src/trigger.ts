import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type LedgerEntry,
  startMockOrderService,
  type WebhookDelivery,
  type WebhookOptions,
} from '@orders/testing';
import { isLoopback, type KeyOptions, loadModule, readKey } from './connection.ts';
import {
  CommandError,
  type CommandInput,
  describeError,
  type ExitCode,
  formatDuration,
  kindOfError,
  type Terminal,
} from './terminal.ts';

interface TriggerOptions extends KeyOptions {
  readonly forwardTo: string;
  readonly token?: readonly string[];
  readonly events: number;
  readonly times: number;
  readonly shuffle?: true;
  readonly late?: number;
  readonly webhooks?: string;
  readonly mock?: string;
  readonly wait: number;
  readonly allowRemote?: true;
  readonly allowInsecureHttp?: true;
}

/** An event, with what an update that it causes carries. */
interface TriggeredEvent {
  readonly id: string;
  readonly token: string;
  readonly sessionId: string | undefined;
}

/** What the endpoint did, as far as it shows; `undefined` where it does not. */
interface Verdict {
  /** Whether each event had one effect. */
  readonly deduplicated: boolean | undefined;
  /** Whether events of an order had their effects in the sequence in which they were accepted first. */
  readonly inSequence: boolean | undefined;
}

/** How often the mock service is asked what has arrived, and how long it may take to answer, in milliseconds. */
const everyMs = 100;
const mockMs = 10_000;

/** Sends webhooks to an endpoint, and reports what effect they had. @throws CommandError */
export async function runTrigger({
  args: [event = ''],
  options,
  terminal,
  env,
}: CommandInput<TriggerOptions>): Promise<ExitCode> {
  const { forwardTo: url, events: count, times, wait } = options;
  const ledger =
    options.mock === undefined ? undefined : await openLedger(options.mock, options, { terminal, env });
  const tokens = options.token ?? (await ledger?.tokens()) ?? [`ord_${randomBytes(6).toString('hex')}`];
  await using sender = await startSender(options, tokens, terminal);
  // Updates from before are not its effect.
  await ledger?.read();
  const carries = event === 'start_qr_session';
  const events = Array.from({ length: count }, (_, index): TriggeredEvent => {
    const id = randomBytes(12).toString('hex');
    return {
      id: `evt_${id}`,
      token: tokens[index % tokens.length] ?? '',
      sessionId: carries ? `qr_${id}` : undefined,
    };
  });

  const deliveries: WebhookDelivery[] = [];
  const accepted = new Set<TriggeredEvent>();
  const refused = new Set<TriggeredEvent>();
  const progress = await terminal.progress();
  const deliver = async (triggered: TriggeredEvent): Promise<void> => {
    const { id } = triggered;
    const wasSent = accepted.has(triggered) || refused.has(triggered);
    const delivery = await terminal.waitFor(
      'the endpoint to respond',
      wasSent ? sender.webhooks.replay(id) : sender.webhooks.send(event, { ...triggered, url }),
    );
    deliveries.push(delivery);
    if (delivery.delivered) accepted.add(triggered);
    else if (!accepted.has(triggered)) refused.add(triggered);
    progress.update(() => `${deliveries.length} of ${count * times} deliveries`);
  };
  try {
    const { late } = options;
    const soon = Array.from({ length: late === undefined ? times : times - 1 }, () => events).flat();
    for (const each of options.shuffle ? shuffled(soon) : soon) await deliver(each);
    if (late !== undefined) {
      await terminal.waitFor(`the last delivery of each event, ${formatDuration(late)}`, sleep(late));
      for (const each of options.shuffle ? shuffled(events) : events) await deliver(each);
    }
  } catch (error) {
    throw new CommandError(nameFlags(describeError(error)), 2);
  } finally {
    progress.stop();
  }
  if (ledger && carries && accepted.size > 0)
    await terminal.waitFor(
      `updates of the endpoint, ${formatDuration(wait)}`,
      watch(ledger, [...accepted], wait),
    );
  const verdict = compare(ledger?.entries ?? [], [...accepted], refused);
  await terminal.report({ deliveries, updates: ledger?.entries.length, ...verdict }, () =>
    draw(deliveries, verdict, { carries, hasLedger: ledger !== undefined }, terminal),
  );
  // A sender repeats what was refused last, even where it was accepted before.
  const lasts = new Map(deliveries.map(({ id, delivered }) => [id, delivered]));
  const isRefused = [...lasts.values()].includes(false);
  if (isRefused || verdict.deduplicated === false || verdict.inSequence === false) return 1;
  return ledger && carries && verdict.deduplicated === undefined ? 3 : 0;
}

/** Messages about options of the function name them as in code. */
function nameFlags(message: string): string {
  return message
    .replace(/^webhooks\.send: /, '')
    .replace(/^(no absolute http or https URL);.*/, '--forward-to: $1.')
    .replace(/^url: /, '--forward-to: ')
    .replace('set webhooks.allowRemoteHosts', 'pass --allow-remote');
}

/** The mock service sends webhooks; its orders are those of the events. @throws CommandError */
async function startSender(options: TriggerOptions, tokens: readonly string[], terminal: Terminal) {
  const file = options.webhooks;
  const own =
    file === undefined
      ? {}
      : await loadModule('--webhooks', file, {
          terminal,
          read: (module) =>
            ({ ...(module['default'] ?? module) }) as Pick<WebhookOptions, 'payload' | 'sign'>,
        });
  const { sign } = own;
  const payload = typeof own.payload === 'function' ? withoutMessage(own.payload) : own.payload;
  try {
    return await startMockOrderService({
      orders: tokens,
      webhooks: { payload, sign, allowRemoteHosts: options.allowRemote ?? false },
    });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CommandError(
      error.message.replace(/^orders\[\d+\]/, '--token').replace(/^webhooks/, '--webhooks'),
      2,
    );
  }
}

/** Makes a payload as a module does, without the message of what it throws, which may hold a key. */
function withoutMessage(make: NonNullable<WebhookOptions['payload']>): typeof make {
  return (content) => {
    try {
      return make(content);
    } catch (error) {
      const kind = kindOfError(error);
      throw new Error(`--webhooks: payload threw ${kind}. Its message may hold a key and is left out.`);
    }
  };
}

/** What a mock service has applied since it was read first. */
interface Ledger {
  readonly entries: LedgerEntry[];
  /** The first order, if the service has any. */
  tokens(): Promise<readonly string[] | undefined>;
  /** Adds what is new. */
  read(): Promise<void>;
}

/** Reads the ledger of "orders mock --admin". @throws CommandError */
async function openLedger(
  mock: string,
  options: TriggerOptions,
  input: Pick<CommandInput<never>, 'terminal' | 'env'>,
): Promise<Ledger> {
  const url = URL.parse(mock);
  if (url?.protocol === 'http:' && !isLoopback(url) && !options.allowInsecureHttp)
    throw new CommandError(
      '--mock: plain http would show the key to the network; use https, or pass --allow-insecure-http.',
      2,
    );
  const key = await readKey(options, input);
  if (key === undefined) throw new CommandError('--mock needs its key: set ORDERS_API_KEY.', 2);
  input.terminal.addSecret(key);
  const authorization = `Basic ${Buffer.from(`${key}:`).toString('base64')}`;
  const get = async <T>(path: string): Promise<T> => {
    let why: string;
    try {
      const response = await fetch(`${mock.replace(/\/+$/, '')}/__admin/${path}`, {
        headers: { authorization },
        signal: AbortSignal.timeout(mockMs),
      });
      if (response.ok) return (await response.json()) as T;
      why = `status ${response.status}`;
    } catch (error) {
      why = describeError((error as Error).cause ?? error);
    }
    throw new CommandError(`--mock: ${mock} does not show its ledger (${why}).`, 3, {
      hint: 'Start it with "orders mock --admin", and set ORDERS_API_KEY to its key.',
    });
  };
  let next: number | undefined;
  const entries: LedgerEntry[] = [];
  return {
    entries,
    async tokens() {
      const { entries: orders } = await get<{ entries: { token: string }[] }>('orders?limit=1');
      return orders.length > 0 ? orders.map(({ token }) => token) : undefined;
    },
    async read() {
      const added: LedgerEntry[] = [];
      let page: { readonly entries: readonly LedgerEntry[]; readonly next: number };
      let after = next ?? 0;
      do {
        page = await get(`ledger?after=${after}`);
        after = page.next;
        added.push(...page.entries);
      } while (page.entries.length > 0);
      // What was there before is not an effect.
      if (next !== undefined) entries.push(...added);
      next = after;
    },
  };
}

/** Waits for a repeated effect, which may come at any time. */
async function watch(ledger: Ledger, events: readonly TriggeredEvent[], ms: number): Promise<void> {
  const until = performance.now() + ms;
  do {
    await ledger.read();
    if (compare(ledger.entries, events, new Set()).deduplicated === false) return;
    await sleep(everyMs);
  } while (performance.now() < until);
  await ledger.read();
}

/**
 * An update is the effect of an event when the identifier of its session is anywhere in it: its field is undocumented.
 * An event that was refused before it was accepted may have been stored then, so its place is not known.
 */
function compare(
  entries: readonly LedgerEntry[],
  events: readonly TriggeredEvent[],
  refused: ReadonlySet<TriggeredEvent>,
): Verdict {
  const found = new Map<string, Set<number>>();
  for (const [place, { token, body }] of entries.entries())
    for (const [sessionId] of JSON.stringify(body).matchAll(/qr_[0-9a-f]{24}/g)) {
      const key = `${token} ${sessionId}`;
      found.set(key, (found.get(key) ?? new Set()).add(place));
    }
  const places = events.map(({ token, sessionId }) => [...(found.get(`${token} ${sessionId}`) ?? [])]);
  const firsts = places.map(([first]) => first);
  const isKnown = firsts.length > 0 && firsts.every((first) => first !== undefined);
  const isRepeated = places.some((each) => each.length > 1);
  const placed = events.flatMap((event, index) =>
    refused.has(event) ? [] : [{ token: event.token, first: firsts[index] }],
  );
  const isOvertaken = placed.some(({ token, first = -1 }, index) =>
    placed.slice(index + 1).some((later) => later.token === token && (later.first ?? Infinity) < first),
  );
  return {
    deduplicated: isRepeated ? false : isKnown || undefined,
    inSequence: isOvertaken ? false : isKnown || undefined,
  };
}

function shuffled<T>(items: readonly T[]): readonly T[] {
  const keyed = items.map((item) => ({ item, key: Math.random() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}

async function draw(
  deliveries: readonly WebhookDelivery[],
  { deduplicated, inSequence }: Verdict,
  { carries, hasLedger }: { readonly carries: boolean; readonly hasLedger: boolean },
  terminal: Terminal,
): Promise<readonly string[]> {
  const shown = deliveries.slice(0, 20);
  const word = (value: boolean | undefined): string =>
    value === undefined ? 'not known' : terminal.style(value ? 'green' : 'red', value ? 'yes' : 'no');
  const rows = shown.map(({ id, token, status, error, delivered, durationMs }) => [
    terminal.style(delivered ? 'green' : 'red', String(status ?? error)),
    id,
    token,
    `${Math.round(durationMs)} ms`,
  ]);
  return [
    ...(await terminal.table(rows)),
    ...(deliveries.length > shown.length
      ? [`and ${deliveries.length - shown.length} more; --json shows all`]
      : []),
    ...drawVerdict(),
  ];

  function drawVerdict(): readonly string[] {
    if (!deliveries.some(({ delivered }) => delivered)) return ['No event was accepted.'];
    if (!carries)
      return ['What effect it had does not show: only start_qr_session carries what an update repeats.'];
    if (!hasLedger)
      return [
        'To see what effect it had, pass --mock with the URL of the "orders mock --admin" to which the endpoint sends updates.',
      ];
    return [
      `Each event had one effect: ${word(deduplicated)}`,
      `Events of an order took effect in sequence: ${word(inSequence)}`,
      ...(deduplicated === undefined
        ? [
            'Not each session arrived in an update: does the endpoint send to the mock service? A longer --wait waits for it.',
          ]
        : []),
    ];
  }
}
