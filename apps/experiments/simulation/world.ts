import { createOrdersClient } from '@orders/client/fetch';
import { createOutbox, type Outbox, type OutboxStore } from '@orders/outbox';
import { createInbox, type Inbox } from '@orders/outbox/inbox';
import type { Database } from './database.ts';
import { type CommittedUpdate, name, Observer } from './observer.ts';
import { Process } from './process.ts';
import { Service } from './service.ts';
import type { Run, Setup, Step } from './steps.ts';
import {
  beginTime,
  currentHost,
  drive,
  elapsedMs,
  inHost,
  jumpClock,
  pass,
  settle,
  travel,
} from './virtual-time.ts';

/** A place for one process after the other. */
interface Machine {
  process: Process;
  /** Its outbox, once that is open. */
  outbox: Outbox | undefined;
  inbox: Inbox | undefined;
}

/** How long the world waits for what the model promises once faults have ended, in milliseconds. */
const calm = { namedMs: 30_000, settledMs: 900_000, everyMs: 5_000 };
/** How long nothing may move before the outbox says why, in milliseconds: it looks every 10 s for what is due for 30. */
const stillMs = 45_000;

/** How much longer than its grace a close may take, in milliseconds: 5 s for outcomes, 5 for connections, and some to begin. */
const closeMs = 11_000;

/** Runs the steps and checks the world against the model, until the first promise is broken. */
export async function play(database: Database, { setup, steps }: Run): Promise<Observer> {
  beginTime(setup.seed);
  await database.reset();
  const world = new World(database, setup);
  const unheard = (reason: unknown): void =>
    world.observer.broken('quiet', `unhandled: ${reason instanceof Error ? reason.stack : String(reason)}`);
  process.on('unhandledRejection', unheard);
  try {
    await world.start();
    for (const step of steps) {
      world.observer.note('step', JSON.stringify(step));
      await world.take(step);
      if (world.observer.violations.length > 0) return world.observer;
    }
    await world.calm();
  } finally {
    await world.end();
    process.off('unhandledRejection', unheard);
  }
  return world.observer;
}

class World {
  readonly observer: Observer;
  readonly #database: Database;
  readonly #service: Service;
  readonly #setup: Setup;
  readonly #machines: Machine[];
  #accepted = 0;
  #started = 0;
  #isCalm = false;
  /** How many of the next handlers throw. */
  #failing = 0;
  /** When each event was delivered first, and when a delivery of it got 204. */
  readonly #delivered = new Map<string, { readonly atMs: number; storedAtMs: number | undefined }>();

  constructor(database: Database, setup: Setup) {
    this.#database = database;
    this.#setup = setup;
    this.observer = new Observer(setup);
    this.#service = new Service(this.observer);
    database.onLateStatement = (text, by) => {
      // What the queue leaves of itself is its own.
      if (/^begin|(insert into|delete from|update) "orders_outbox"\./i.test(text))
        this.observer.broken('closed', `${by.name} asks: ${text.trim().slice(0, 80)}`);
    };
    database.onCommit = (changed, count, by) => this.observer.committed(changed, count, by);
    this.#machines = Array.from({ length: setup.processes }, () => ({
      process: new Process(''),
      outbox: undefined,
      inbox: undefined,
    }));
  }

  /** Starts all processes, and waits until their outboxes are open. */
  async start(): Promise<void> {
    for (const machine of this.#machines) this.#boot(machine);
    await pass(10_000, () => this.#machines.every(({ outbox }) => outbox !== undefined));
  }

  /** Starts a process on a machine, again and again until its outbox is open. */
  #boot(machine: Machine): void {
    const one = new Process(`process ${++this.#started}`);
    Object.assign(machine, { process: one, outbox: undefined, inbox: undefined });
    const open = async (): Promise<void> => {
      const { isListening, perSecond, onRejected, latestWins, keyMs } = this.#setup;
      const apiKey = 'a-key-of-the-simulation';
      for (;;) {
        const client = createOrdersClient({
          baseUrl: 'https://orders.example',
          apiKey: keyMs === 0 ? apiKey : () => new Promise((resolve) => setTimeout(resolve, keyMs, apiKey)),
          fetch: this.#service.fetch,
        });
        const store = this.#database.storeFor(one, { isListening });
        try {
          const outbox = await createOutbox({
            client,
            store,
            migrate: false,
            concurrency: 8,
            onRejected,
            latestWins,
            ...(perSecond !== undefined && { rate: { perSecond } }),
            warn: (message) => this.observer.note(one.name, `warns: ${message}`),
          });
          await outbox.start();
          if (one.isDead) return;
          machine.outbox = outbox;
          if (this.#setup.hasInbox) machine.inbox = this.#openInbox(one, store, outbox);
          return;
        } catch (error) {
          this.observer.note(one.name, `cannot start: ${String(error)}`);
          await new Promise((resolve) => setTimeout(resolve, 1_000));
        }
      }
    };
    void inHost(one, open);
  }

  #openInbox(one: Process, store: OutboxStore, outbox: Outbox): Inbox {
    return createInbox({
      store,
      verify: (body) => JSON.parse(new TextDecoder().decode(body)),
      id: 'id',
      token: 'order',
      migrate: false,
      handler: async ({ id: event, token }, { tx }) => {
        const id = this.#newId();
        await tx.query(
          'insert into orders_outbox_shop.effects (event, token, update_id) values ($1, $2, $3)',
          [event, token, id],
        );
        this.observer.note(one.name, `handles ${event}`, { token });
        if (this.#failing > 0 && !this.#isCalm) {
          this.#failing--;
          throw new Error('on purpose');
        }
        await outbox.enqueue(token, { cart: { items: [{ sku: id }] } }, { id, tx });
      },
      warn: (message) => this.observer.note(one.name, `warns: ${message}`),
    });
  }

  #newId(): string {
    return `00000000-0000-4000-8000-${(++this.#accepted).toString(16).padStart(12, '0')}`;
  }

  /** Delivers an event to a process, if it has an inbox now; goes on at once. */
  async #deliver({ process: number, event }: Extract<Step, { do: 'deliver' }>): Promise<void> {
    const { process, inbox } = this.#machineOf(number);
    if (!inbox || process.isDead) return;
    const [id, token] = [`event-${event}`, `order-${event % 4}`];
    const delivered = this.#delivered.get(id) ?? { atMs: elapsedMs(), storedAtMs: undefined };
    this.#delivered.set(id, delivered);
    const body = JSON.stringify({ id, order: token });
    process.deliver(() =>
      inHost(process, async () => {
        const { status } = await inbox.receive(
          new Request('https://shop.example/', { method: 'POST', body }),
        );
        this.observer.note(process.name, `responds to ${id}: ${status}`, { token });
        if (status === 204) delivered.storedAtMs ??= elapsedMs();
      }),
    );
    await settle();
  }

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case 'pass':
        return this.#pass(step.ms);
      case 'enqueue':
        return this.#enqueue(step);
      case 'crash': {
        const machine = this.#machineOf(step.process);
        const { process } = machine;
        process.after(step.places, step.at, () => {
          if (process.isDead || this.#isCalm) return 0;
          this.observer.note(process.name, 'crashes');
          process.crash();
          void travel(step.ms).then(() => machine.process === process && this.#boot(machine));
          return 0;
        });
        return settle();
      }
      case 'stall': {
        const { process } = this.#machineOf(step.process);
        process.after(step.places, step.at, () => {
          if (this.#isCalm || !process.isRunning) return 0;
          this.observer.note(process.name, `waits ${step.ms} ms for a ${step.at}`);
          return step.ms;
        });
        return settle();
      }
      case 'pause': {
        const { process } = this.#machineOf(step.process);
        process.after(step.places, step.at, () => {
          if (this.#isCalm || !process.isRunning) return 0;
          this.observer.note(process.name, `pauses for ${step.ms} ms`);
          process.pause();
          void travel(step.ms).then(() => process.resume());
          return 0;
        });
        return settle();
      }
      case 'restart':
        return this.#restart(this.#machineOf(step.process), step.graceMs, step.ms);
      case 'disconnect':
        return this.#database.failNext(this.#machineOf(step.process).process, step.at, step.when);
      case 'database away':
        this.#database.isDown = true;
        await this.#pass(step.ms);
        this.#database.isDown = false;
        return;
      case 'fail':
        this.#service.next.push(...step.fates);
        return;
      case 'outage':
        this.#service.usual = step.fate;
        await this.#pass(step.ms);
        this.#service.usual = 'applied';
        return;
      case 'jump':
        this.observer.disturb({ endsPause: true });
        return jumpClock(step.ms);
      case 'decide':
        return this.#decide(step);
      case 'resume':
        return this.#by(step.process, async (outbox) => {
          this.observer.resuming++;
          const { died } = currentHost() as Process;
          await Promise.race([outbox.resume(), died]).finally(() => {
            this.observer.resuming--;
            this.observer.disturb({ endsPause: true });
          });
        });
      case 'deliver':
        return this.#deliver(step);
      case 'handlers fail':
        this.#failing = step.times;
        return;
      case 'meddle':
        this.observer.disturb({ endsPause: false });
        return drive(this.#database.meddle(step.as));
    }
  }

  /** Lets time pass until a promise is broken. */
  #pass(ms: number): Promise<void> {
    return pass(ms, () => this.#isBroken);
  }

  #passUntil(isThere: () => boolean): Promise<void> {
    return pass(calm.namedMs, () => this.#isBroken || isThere());
  }

  get #isBroken(): boolean {
    return this.observer.violations.length > 0;
  }

  #machineOf(number: number): Machine {
    return this.#machines[number % this.#machines.length] as Machine;
  }

  /** Has a process do something with its outbox, if it has one now; goes on at once. */
  async #by(number: number, work: (outbox: Outbox) => Promise<unknown>): Promise<void> {
    const { process, outbox } = this.#machineOf(number);
    if (!outbox || process.isDead) return;
    process.deliver(() =>
      inHost(process, () =>
        work(outbox).catch((error: unknown) => this.observer.note(process.name, `fails: ${String(error)}`)),
      ),
    );
    await settle();
  }

  #enqueue({ process, order, updates, as }: Extract<Step, { do: 'enqueue' }>): Promise<void> {
    const token = `order-${order}`;
    const items = Array.from({ length: updates }, () => {
      const id = this.#newId();
      return { id, token, update: { cart: { items: [{ sku: id }] } } };
    });
    const accepted = (): void => {
      for (const { id } of items) this.observer.acknowledged.add(id);
    };
    return this.#by(process, async (outbox) => {
      if (as === 'one by one') {
        for (const { id, update } of items) {
          await outbox.enqueue(token, update, { id });
          this.observer.acknowledged.add(id);
        }
      } else if (as === 'list') {
        await outbox.enqueueAll(items);
        accepted();
      } else {
        const store = this.#database.storeFor(currentHost() as Process, { isListening: false });
        const ids = as === 'rolled back' ? items.map(({ id }) => id) : [];
        for (const id of ids) this.observer.rolledBack.add(id);
        await store.transaction(async (tx) => {
          for (const { id, update } of items) await outbox.enqueue(token, update, { id, tx });
          if (as === 'rolled back') throw new Error('rolled back on purpose');
        });
        accepted();
      }
    });
  }

  async #restart(machine: Machine, graceMs: number, ms: number): Promise<void> {
    const { process, outbox, inbox } = machine;
    if (!outbox || !process.isRunning) return;
    Object.assign(machine, { outbox: undefined, inbox: undefined });
    process.isClosing = true;
    this.observer.note(process.name, 'closes');
    let begunAtMs = elapsedMs();
    const close = async (): Promise<void> => {
      // It waits for the handler that runs.
      await inbox?.close();
      begunAtMs = elapsedMs();
      await outbox.close({ graceMs });
    };
    inHost(process, close).then(
      () => {
        const tookMs = elapsedMs() - begunAtMs;
        if (process.stoodStillAtMs < begunAtMs && tookMs > graceMs + closeMs)
          this.observer.broken('closed', `${process.name} took ${tookMs} ms`);
        process.isClosed = true;
        this.observer.note(process.name, 'has closed');
        // It lives on for a while, and must leave the rest alone.
        void travel(ms).then(() => {
          process.crash();
          if (machine.process === process) this.#boot(machine);
        });
      },
      (error: unknown) => this.observer.broken('quiet', `close failed: ${String(error)}`),
    );
    await settle();
  }

  #decide({ process, which, as }: Extract<Step, { do: 'decide' }>): Promise<void> {
    const { undecided } = this.observer;
    const update = undecided[which % Math.max(1, undecided.length)];
    if (!update) return settle();
    const { id } = update;
    const isApplied = this.observer.requests.some((request) => request.id === id && request.isApplied);
    const choice = as === 'the service knows' ? (isApplied ? 'applied' : 'retry') : as;
    return this.#by(process, (outbox) =>
      choice === 'applied' ? outbox.resolve(id, 'applied') : outbox[choice](id),
    );
  }

  /** Ends all faults, and waits for what the model promises then. */
  async calm(): Promise<void> {
    this.observer.note('world', 'faults end');
    this.#isCalm = true;
    this.#database.endFaults();
    this.#service.next = [];
    this.#service.usual = 'applied';
    for (const { process } of this.#machines) process.resume();
    // A statement that stalls since before may keep a process from closing, and its machine from the next one.
    await this.#passUntil(() => this.#isUp);
    await this.#passUntil(() => this.#isUp && this.observer.waiting.length === 0);
    if (!this.#isBroken) await this.#checkNamed();
    // Where a rate leaves room for one update at a time, the key is read for each.
    const settledMs = calm.settledMs + this.observer.waiting.length * this.#setup.keyMs;
    for (let ms = 0; ms < settledMs && !this.#isBroken && !this.#isSettled(); ms += calm.everyMs)
      await this.#pass(calm.everyMs);
    if (this.#isBroken) return;
    if (!this.#isSettled() && this.observer.unheard.length === 0)
      this.observer.broken(
        'live',
        `after ${Math.round(settledMs / 60_000)} min ${this.observer.waiting.map(({ id, state }) => `${name(id)} is ${state}`).join(', ')}`,
      );
    this.observer.checkKept();
    await this.#checkEffects();
    for (const { id, by, answer } of this.observer.unheard)
      this.observer.broken('heard', `${name(id)} needs review, and ${by.name} knows that it was ${answer}`);
  }

  /** Handles what needs review again, and checks what all handlers did. */
  async #checkEffects(): Promise<void> {
    if (!this.#setup.hasInbox) return;
    const find = () => this.#machines.find(({ process, inbox }) => inbox && process.isRunning);
    // One that crashed starts again.
    await this.#passUntil(() => find() !== undefined);
    const { process, inbox } = find() ?? {};
    if (!process || !inbox) return this.observer.broken('live', 'no process could open its inbox');
    const inProcess = <T>(work: () => Promise<T>): Promise<T> => drive(inHost(process, work));
    // What lost its connection while its process stood still learns so only now, and opens it again.
    const isOpen = () =>
      inbox.start().then(
        () => true,
        () => false,
      );
    for (let ms = 0; ms < calm.settledMs && !(await inProcess(isOpen)); ms += calm.everyMs)
      await this.#pass(calm.everyMs);
    await inProcess(async () => {
      for (const { id } of await inbox.list()) await inbox.retry(id);
    });
    // A delivery may still get its 204 meanwhile.
    const stored = [...this.#delivered].flatMap(([id, { storedAtMs }]) =>
      storedAtMs === undefined ? [] : [id],
    );
    const isIdle = async (): Promise<boolean> => {
      const { queued, needs_review } = await inProcess(() => inbox.counts());
      return queued + needs_review === 0;
    };
    for (let ms = 0; ms < calm.settledMs && !this.#isBroken && !(await isIdle()); ms += calm.everyMs)
      await this.#pass(calm.everyMs);
    const effects = await drive(this.#database.readEffects());
    const times = (id: string): number => effects.filter(({ event }) => event === id).length;
    for (const id of stored)
      if (times(id) === 0) this.observer.broken('effects', `${id} got 204, and took no effect`);
    for (const id of this.#delivered.keys())
      if (times(id) > 1) this.observer.broken('effects', `${id} took effect ${times(id)} times`);
    for (const [index, { event, token, isEnqueued }] of effects.entries()) {
      if (!isEnqueued) this.observer.broken('effects', `the update of ${event} is not there`);
      const { atMs = 0 } = this.#delivered.get(event) ?? {};
      for (const later of effects.slice(index + 1))
        if (later.token === token && (this.#delivered.get(later.event)?.storedAtMs ?? Infinity) < atMs)
          this.observer.broken(
            'effects',
            `${event} took effect before ${later.event}, which was stored first`,
          );
    }
  }

  get #isUp(): boolean {
    return this.#machines.some(({ outbox }) => outbox !== undefined);
  }

  /** Whether each update is settled, or waits for a person or behind one. */
  #isSettled(): boolean {
    const heldTokens = new Set(this.observer.undecided.filter(({ open }) => open).map(({ token }) => token));
    const isHeard = this.observer.unheard.length === 0;
    return this.#isUp && isHeard && this.observer.waiting.every(({ token }) => heldTokens.has(token));
  }

  /** Where nothing moves, the outbox must say why: that workers take orders as they get free explains nothing for long. */
  async #checkNamed(): Promise<void> {
    if ((await this.#listUnnamed()).length === 0) return;
    await this.#pass(stillMs);
    if (this.#isBroken || this.observer.stillMs < stillMs) return;
    for (const { id } of await this.#listUnnamed())
      this.observer.broken('live', `${name(id)} does not move, and the outbox does not say why`);
  }

  async #listUnnamed(): Promise<readonly CommittedUpdate[]> {
    const { process, outbox } = this.#machines.find((machine) => machine.outbox !== undefined) ?? {};
    if (!process || !outbox) this.observer.broken('live', 'no process could open its outbox');
    const unnamed: CommittedUpdate[] = [];
    for (const update of this.observer.waiting) {
      if (!process || !outbox) break;
      const read = await drive(inHost(process, () => outbox.get(update.id)));
      const reason = read?.heldBy?.reason;
      this.observer.note('world', `reads: ${read?.state}, held by ${reason}`, update);
      if (read?.state === 'queued' && (reason === undefined || reason === 'backlog')) unnamed.push(update);
    }
    return unnamed;
  }

  /** Ends all processes. */
  async end(): Promise<void> {
    for (const { process } of this.#machines) process.crash();
    await drive(this.#database.whenFree());
  }
}
