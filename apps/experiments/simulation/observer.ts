import type { UpdateState } from '@orders/outbox';
import { type Fate, failures } from './fates.ts';
import { type PromiseName, promises, successors } from './model.ts';
import type { Process } from './process.ts';
import type { Setup } from './steps.ts';
import { elapsedMs } from './virtual-time.ts';

/** An update as a commit left it. */
export interface CommittedUpdate {
  readonly id: string;
  readonly token: string;
  readonly state: UpdateState;
  /** Whether later updates of its order wait for it. */
  readonly open: boolean;
  readonly position: number;
  readonly claim: string | null;
  /** Why it is in its state. */
  readonly code: string | null;
  /** When a person decided about it last. */
  readonly decidedAt: string | null;
}

/** A request with an update, from when its first byte leaves. */
export interface SentRequest {
  readonly id: string;
  readonly token: string;
  readonly by: Process;
  readonly fate: Fate;
  readonly leftAtMs: number;
  /** How often a person had decided about the update when it left. */
  readonly decisions: number;
  /** Whether it is under way. */
  isTravelling: boolean;
  isApplied: boolean;
  /** What its process can be sure of, and when it learned that. */
  answer: 'applied' | 'refused' | undefined;
  answeredAtMs: number;
  /** When the response had travelled, even if its process stood still. */
  respondedAtMs: number;
  /** How long a 429 asks to wait. */
  retryAfterMs: number;
}

/** A request whose outcome is stored, and when its update had been marked. */
interface SettledRequest extends SentRequest {
  readonly markedAtMs: number;
  /** Whether its process, which closes, has aborted it. */
  readonly isAborted: boolean;
  readonly shows: Shown;
}

/** One line of what happened. */
export interface Event {
  readonly atMs: number;
  /** A process, a person or the world. */
  readonly who: string;
  readonly what: string;
  /** The update that it is about. */
  readonly id?: string;
  readonly token?: string;
}

/** A promise that was not kept. */
export interface Violation {
  readonly promise: PromiseName;
  readonly details: string;
  readonly atMs: number;
}

/** How soon a response must have travelled to be read before its attempt ends, in milliseconds: that takes 15 s. */
const attemptMs = 13_000;
/** Orders in a row whose failures, or refused keys, open the breaker. */
const most = { failure: 3, refused: 2 };
/** The time in which departures are counted, and how far ahead their slots are taken, in milliseconds. */
const [paceMs, aheadMs] = [3_000, 500];

/** How long before a process must have been well, in milliseconds: what was lost then is found out later. */
const distrustMs = 3_000;

/** Sees every commit and every request of a run, and holds them against the model. */
export class Observer {
  readonly events: Event[] = [];
  readonly violations: Violation[] = [];
  readonly requests: SentRequest[] = [];
  /** Calls of `resume` that have not resolved: each may end a pause at any time. */
  resuming = 0;
  /** Updates whose `enqueue` has resolved, and those whose transaction was rolled back. */
  readonly acknowledged = new Set<string>();
  readonly rolledBack = new Set<string>();
  readonly updates = new Map<string, CommittedUpdate>();
  readonly #decisions = new Map<string, number>();
  readonly #setup: Pick<Setup, 'latestWins' | 'onRejected' | 'perSecond'>;
  /** When each update was marked last. */
  readonly #markedAtMs = new Map<string, number>();
  readonly #markedBy = new Map<string, Process>();
  /** When any update changed last. */
  #movedAtMs = 0;
  /** When clocks were set, a pause ended, or a queue changed by hand, last. */
  #disturbedAtMs = Number.NEGATIVE_INFINITY;
  /** Orders that met failures, or refused keys, in a row; since when they are too many, and whether an echo succeeded since. */
  #streak = noStreak;
  #openSinceMs: number | undefined;
  #echoedAtMs = Number.NEGATIVE_INFINITY;
  /** What the breaker may have seen: of one commit, which outcome came first is not known. */
  #suspicion = noSuspicion();
  #isTrial = false;
  /** The one that left since, until its outcome is stored. */
  #trial: SentRequest | undefined;
  /** Since when, and until when, a 429 lets nothing leave. */
  #pause = { sinceMs: 0, untilMs: 0 };

  constructor(setup: Pick<Setup, 'latestWins' | 'onRejected' | 'perSecond'>) {
    this.#setup = setup;
  }

  note(who: string, what: string, about: Pick<Event, 'id' | 'token'> = {}): void {
    this.events.push({ atMs: elapsedMs(), who, what, ...about });
  }

  broken(promise: PromiseName, details: string): void {
    this.note('the model', `${promise}: ${details}`);
    this.violations.push({ promise, details, atMs: elapsedMs() });
  }

  /** A commit has changed these updates, and left so many. */
  committed(changed: readonly CommittedUpdate[], count: number, by: Process): void {
    const settled: SettledRequest[] = [];
    for (const update of changed) {
      const before = this.updates.get(update.id);
      this.updates.set(update.id, update);
      settled.push(...this.#changed(before, update, by));
    }
    this.#settled(settled);
    if (count !== this.updates.size)
      this.broken('kept', `of ${this.updates.size} updates there are ${count}`);
  }

  /** Checks how one update changed. Returns the request of this process whose outcome it stored, if it did. */
  #changed(before: CommittedUpdate | undefined, now: CommittedUpdate, by: Process): SettledRequest[] {
    const { id, token, state } = now;
    if (before?.state === state && before.claim === now.claim && before.decidedAt === now.decidedAt)
      return [];
    this.#movedAtMs = elapsedMs();
    // Two decisions at one moment have the same time.
    const isDecided = now.decidedAt !== (before?.decidedAt ?? null) || now.code === 'decided';
    if (isDecided) this.#decisions.set(id, this.#decisionsOf(id) + 1);
    const why = now.code === null || state === 'sending' ? '' : `: ${now.code}`;
    this.note(isDecided ? `a person, by ${by.name}` : by.name, `${state}${why}`, { id, token });
    if (
      state === 'discarded' &&
      !isDecided &&
      !(this.#setup.latestWins && (before?.state ?? 'queued') === 'queued')
    )
      this.broken('kept', `${name(id)} was discarded without a decision`);
    // Its request of before may be a person's to repeat.
    const markedAtMs = this.#markedAtMs.get(id) ?? 0;
    const last = this.requests.findLast((request) => request.id === id && request.leftAtMs >= markedAtMs);
    const markedBy = this.#markedBy.get(id);
    if (state === 'sending') this.#markedAtMs.set(id, elapsedMs());
    if (state === 'sending') this.#markedBy.set(id, by);
    if (!before) return [];
    // One commit may give an update back and mark it again.
    const isMarkedAgain = before.state !== 'queued' && state === 'sending';
    const next = isMarkedAgain ? 'queued' : state;
    if (before.state !== state && !(next in successors[before.state]))
      this.broken('successor', `${name(id)} went from ${before.state} to ${state}`);
    if (isDecided) return [];
    const wasOpen = before.state === 'sending' || before.state === 'needs_review';
    const isOwn = wasOpen && next !== before.state && last?.by === by;
    // What was not sent when its process aborted it has no code.
    const isAborted = by.isClosing && (now.code === 'aborted' || (now.code === null && next === 'queued'));
    if (before.state === 'sending' && next === 'queued' && last && last.answer !== 'refused')
      this.broken('once', `${name(id)} is queued again after a request that was ${last.fate}`);
    if (before.state === 'sending' && state === 'needs_review' && markedBy && markedBy !== by)
      this.#taken(id, markedBy, markedAtMs);
    if (state === 'applied' && !this.requests.some((request) => request.id === id && request.isApplied))
      this.broken('true', `${name(id)} counts as applied, and was not`);
    if (state === 'rejected' && last?.isApplied)
      this.broken('true', `${name(id)} counts as rejected, and was applied`);
    if (!last || !isOwn) return [];
    const shows = isAborted ? 'nothing' : toShown(last, next);
    return [{ ...last, markedAtMs, isAborted, shows }];
  }

  /** An update was taken from the process that was sending it. */
  #taken(id: string, from: Process, markedAtMs: number): void {
    if (this.#isWell(from, markedAtMs))
      this.broken('trusted', `${name(id)} was taken from ${from.name}, which is well`);
  }

  /** Whether a process has been well since then, and shortly before. */
  #isWell(process: Process, sinceMs: number): boolean {
    const disturbedAtMs = Math.max(process.disturbedAtMs, this.#disturbedAtMs);
    return process.isRunning && !process.isClosing && disturbedAtMs < sinceMs - distrustMs;
  }

  /** Whether an update was marked while the breaker was open. */
  #isTried(id: string): boolean {
    return this.#openSinceMs !== undefined && (this.#markedAtMs.get(id) ?? 0) > this.#openSinceMs;
  }

  /** A process has stored outcomes of its own requests, by one commit: which of them came first is not known. */
  #settled(requests: readonly SettledRequest[]): void {
    const now = elapsedMs();
    // A pause that was stored before a clock was set may be over, and a request that its process aborted stores none.
    for (const { answer, answeredAtMs, retryAfterMs, isAborted } of requests)
      if (answer === 'refused' && !isAborted && retryAfterMs > 0 && answeredAtMs > this.#disturbedAtMs)
        this.#pause = {
          sinceMs: now < this.#pause.untilMs ? this.#pause.sinceMs : now,
          untilMs: Math.max(this.#pause.untilMs, answeredAtMs + retryAfterMs),
        };
    const { sinceMs: mayBeOpenSinceMs = Number.POSITIVE_INFINITY } = this.#suspicion;
    this.#suspect(requests);
    // Only an echo that succeeds from now on allows a trial.
    if (mayBeOpenSinceMs === Number.POSITIVE_INFINITY && this.#suspicion.sinceMs !== undefined)
      this.#isTrial = false;
    const telling = requests.filter(({ shows, markedAtMs, leftAtMs }) => {
      const openSinceMs = this.#openSinceMs ?? Number.NEGATIVE_INFINITY;
      // What was under way when the breaker opened shows nothing.
      if (shows === 'failure' || shows === 'refused') return markedAtMs > openSinceMs;
      // The first success may be that of a trial: of an earlier opening, or one whose mark was committed before.
      const isTrial = openSinceMs < this.#echoedAtMs && this.#echoedAtMs < leftAtMs;
      return shows === 'success' && (markedAtMs > Math.min(openSinceMs, mayBeOpenSinceMs) || isTrial);
    });
    const [kind = 'nothing', ...others] = new Set(telling.map(({ shows }) => shows));
    const hasSucceeded = telling.some(({ shows }) => shows === 'success');
    if (this.#openSinceMs !== undefined) {
      // An echo may have succeeded since this one left, which is no trial any more then.
      if (telling.some(({ leftAtMs }) => leftAtMs > this.#echoedAtMs)) this.#isTrial = false;
      const isTrial = ({ id, leftAtMs }: SentRequest): boolean =>
        id === this.#trial?.id && leftAtMs === this.#trial.leftAtMs;
      if (hasSucceeded || telling.some(isTrial)) this.#trial = undefined;
      if (hasSucceeded) this.#openSinceMs = undefined;
      return;
    }
    // A timeout ends a row of refused keys.
    const isUnsure = this.#streak.shows === 'refused' && requests.some(({ shows }) => shows === 'anything');
    if (hasSucceeded || others.length > 0 || isUnsure) this.#streak = noStreak;
    else if (kind === 'failure' || kind === 'refused') {
      const before = this.#streak.shows === kind ? this.#streak.tokens : [];
      this.#streak = { shows: kind, tokens: new Set([...before, ...tokensOf(telling)]) };
      if (this.#streak.tokens.size < most[kind]) return;
      this.#openSinceMs = now;
      this.#streak = noStreak;
    }
  }

  /** Notes since when the breaker may be open: by failures, or by refused keys. */
  #suspect(requests: readonly SettledRequest[]): void {
    const { failing, unauthorized, sinceMs, lastMs } = this.#suspicion;
    const failed = requests.filter(({ shows }) => shows === 'failure' || shows === 'anything');
    const refused = requests.filter(({ fate, answer }) => fate === 'key refused' && answer);
    for (const { token } of failed) failing.add(token);
    for (const { token } of refused) unauthorized.add(token);
    const isTooMany = failing.size >= most.failure || unauthorized.size >= most.refused;
    const now = elapsedMs();
    if (failed.length + refused.length > 0 && isTooMany)
      this.#suspicion = { failing, unauthorized, sinceMs: sinceMs ?? now, lastMs: now };
    else if (requests.some(({ shows, markedAtMs }) => shows === 'success' && markedAtMs > lastMs))
      this.#suspicion = noSuspicion(tokensOf(failed), tokensOf(refused));
  }

  /** An echo succeeds. */
  echoes(): void {
    this.#isTrial = true;
    this.#echoedAtMs = elapsedMs();
  }

  /** A process gets a response. */
  answers(request: SentRequest, answer: 'applied' | 'refused'): void {
    Object.assign(request, { answer, answeredAtMs: elapsedMs() });
  }

  /** A person ends a pause, or changes the queue by hand, or clocks are set: what is known of time says nothing any more. */
  disturb({ endsPause }: { readonly endsPause: boolean }): void {
    this.#disturbedAtMs = elapsedMs();
    if (endsPause) this.#pause = { sinceMs: 0, untilMs: 0 };
  }

  #checkLimits(id: string): void {
    const now = elapsedMs();
    const markedAtMs = this.#markedAtMs.get(id) ?? 0;
    if (this.resuming === 0 && markedAtMs > this.#pause.sinceMs && now < this.#pause.untilMs - 1)
      this.broken('waits', `${name(id)} left ${Math.round(this.#pause.untilMs - now)} ms early`);
    if (this.#isTried(id)) {
      if (!this.#isTrial) this.broken('spared', `${name(id)} left without an echo`);
      if (this.#trial && this.#isWell(this.#trial.by, this.#trial.leftAtMs))
        this.broken('spared', `${name(id)} left beside ${name(this.#trial.id)}`);
    }
    const { perSecond = Number.POSITIVE_INFINITY } = this.#setup;
    const since = Math.max(now - paceMs, this.#disturbedAtMs);
    const others = this.requests.filter(({ leftAtMs }) => leftAtMs > since).length;
    if (others + 1 > ((paceMs + aheadMs) / 1_000) * perSecond + 2)
      this.broken('paced', `${name(id)} left after ${others} others in ${(now - since) / 1_000} s`);
  }

  /** A request leaves now. */
  departs(id: string, token: string, fate: Fate, by: Process): SentRequest {
    const update = this.updates.get(id);
    this.note(by.name, `sends; it will be: ${fate}`, { id, token });
    if (update?.state !== 'sending')
      this.broken('marked', `${name(id)} left while it was ${update?.state ?? 'nowhere'}`);
    for (const other of this.updates.values()) {
      if (!update || other.token !== token) continue;
      if (other.position < update.position && this.#holds(other))
        this.broken('in_sequence', `${name(id)} left before ${name(other.id)}, which was ${other.state}`);
      if (other.position > update.position && this.#isKnownApplied(other))
        this.broken(
          'in_sequence',
          `${name(id)} left after ${name(other.id)} was applied, which is behind it`,
        );
    }
    this.#checkLimits(id);
    for (const earlier of this.requests) {
      const isDecided = this.#decisionsOf(earlier.id) > earlier.decisions;
      if (earlier.token !== token || isDecided) continue;
      if (earlier.isTravelling)
        this.broken('one_at_a_time', `${name(id)} left while ${name(earlier.id)} was under way`);
      if (earlier.id === id && earlier.answer !== 'refused')
        this.broken('once', `${name(id)} left again after a request that was ${earlier.fate}`);
    }
    const decisions = this.#decisionsOf(id);
    const leftAtMs = elapsedMs();
    const nothingYet = {
      isTravelling: true,
      isApplied: false,
      answer: undefined,
      answeredAtMs: 0,
      respondedAtMs: 0,
      retryAfterMs: 0,
    };
    const request = { id, token, by, fate, decisions, leftAtMs, ...nothingYet };
    this.requests.push(request);
    if (this.#isTried(id)) this.#trial = request;
    return request;
  }

  /** A request reaches the service. */
  arrives(request: SentRequest, isApplied: boolean): void {
    const { id, token } = request;
    Object.assign(request, { isTravelling: false, isApplied });
    this.note('the service', isApplied ? 'applies it' : 'does not apply it', { id, token });
    if (this.rolledBack.has(id) && isApplied) this.broken('kept', `${name(id)} was rolled back, and applied`);
  }

  /** A request whose client gave up never reaches the service. */
  vanishes(request: SentRequest): void {
    request.isTravelling = false;
  }

  /** What holds of what is stored when a run ends. */
  checkKept(): void {
    for (const id of this.acknowledged)
      if (!this.updates.has(id)) this.broken('kept', `${name(id)} was accepted, and is not there`);
    for (const id of this.rolledBack)
      if (this.updates.has(id)) this.broken('kept', `${name(id)} was rolled back, and is there`);
  }

  /** Requests whose process knows what became of them, while their updates need review. */
  get unheard(): readonly SentRequest[] {
    const lasts = new Map(this.requests.map((request) => [request.id, request]));
    return [...lasts.values()].filter(({ id, by, answer, leftAtMs, respondedAtMs, decisions }) => {
      const isUndecided =
        this.updates.get(id)?.state === 'needs_review' && decisions === this.#decisionsOf(id);
      // One that left for an earlier mark was settled with that.
      const isOfMark = leftAtMs >= (this.#markedAtMs.get(id) ?? 0);
      return isUndecided && isOfMark && answer && !by.isDead && respondedAtMs - leftAtMs < attemptMs;
    });
  }

  /** Whether an update was applied, and no person has said otherwise since. */
  #isKnownApplied({ id, state }: CommittedUpdate): boolean {
    const decisions = this.#decisionsOf(id);
    const wasApplied = (request: SentRequest): boolean =>
      request.id === id && request.isApplied && request.decisions === decisions;
    return state === 'applied' || this.requests.some(wasApplied);
  }

  /** Whether later updates of its order wait for it. */
  #holds({ state }: CommittedUpdate): boolean {
    return state === 'rejected'
      ? this.#setup.onRejected === 'hold'
      : state !== 'applied' && state !== 'discarded';
  }

  /** The updates that are to be sent. */
  get waiting(): readonly CommittedUpdate[] {
    return [...this.updates.values()].filter(({ state }) => state === 'queued' || state === 'sending');
  }

  /** How long no update has changed. */
  get stillMs(): number {
    return elapsedMs() - this.#movedAtMs;
  }

  /** The updates that a person may decide about. */
  get undecided(): readonly CommittedUpdate[] {
    return [...this.updates.values()].filter(({ state }) => state === 'needs_review' || state === 'rejected');
  }

  #decisionsOf(id: string): number {
    return this.#decisions.get(id) ?? 0;
  }
}

/** What the outcome of a request shows of the service; where its process stood still, that may be anything. */
type Shown = 'success' | 'failure' | 'refused' | 'anything' | 'nothing';

function toShown({ fate, answer }: SentRequest, state: UpdateState): Shown {
  if (failures.has(fate)) return 'failure';
  if (answer === undefined || state === 'needs_review') return 'anything';
  return fate === 'key refused' ? 'refused' : 'success';
}

/** What requests showed one after the other, and of which orders. */
interface Streak {
  readonly shows: Shown;
  readonly tokens: ReadonlySet<string>;
}

const noStreak: Streak = { shows: 'nothing', tokens: new Set() };

/** What the breaker may have seen since it was closed for sure: orders that met failures, or refused keys. */
interface Suspicion {
  readonly failing: Set<string>;
  readonly unauthorized: Set<string>;
  /** When it may have opened first, and last. */
  readonly sinceMs: number | undefined;
  readonly lastMs: number;
}

function noSuspicion(failing: readonly string[] = [], unauthorized: readonly string[] = []): Suspicion {
  return {
    failing: new Set(failing),
    unauthorized: new Set(unauthorized),
    sinceMs: undefined,
    lastMs: Number.NEGATIVE_INFINITY,
  };
}

function tokensOf(requests: readonly SentRequest[]): string[] {
  return requests.map(({ token }) => token);
}

/** A short name for an update. */
export function name(id: string): string {
  return `#${Number.parseInt(id.slice(-12), 16)}`;
}

/** What a violation says to a person. */
export function describe({ promise, details, atMs }: Violation): string {
  return `${promise} at ${(atMs / 1_000).toFixed(3)} s: ${details}. ${promises[promise]}`;
}
