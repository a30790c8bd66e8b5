import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { quickly } from '../../../.ci/start-quickly.ts';
import type { Command, Result, WorkerSettings } from './protocol.ts';

const script = fileURLToPath(new URL('./chaos-worker.ts', import.meta.url));

const flags = ['--conditions=@orders/source', ...quickly.flags];

/** A worker process that runs commands, and can be stopped and killed. */
export class WorkerProcess {
  readonly #child: ChildProcess;
  readonly #open = new Map<number, PromiseWithResolvers<unknown>>();
  readonly exited: Promise<void>;
  #number = 0;
  #isOver = false;

  constructor(settings: WorkerSettings) {
    this.#child = spawn(process.execPath, [...flags, script], {
      env: { ...quickly.env, ...process.env, CHAOS_WORKER: JSON.stringify(settings) },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#open.set(0, Promise.withResolvers());
    this.exited = once(this.#child, 'exit').then(() => this.#end());
    this.#child.stdin?.on('error', () => {});
    if (this.#child.stdout) {
      createInterface({ input: this.#child.stdout }).on('line', (line) => this.#take(JSON.parse(line)));
    }
  }

  /** Resolves when it works; rejects when it exits before. */
  get ready(): Promise<unknown> {
    return this.#open.get(0)?.promise ?? Promise.resolve();
  }

  /** Runs a command. Rejects when the process exits first. */
  run(command: Command): Promise<unknown> {
    if (this.#isOver) return Promise.reject(new Error('The worker process is over.'));
    const settled = Promise.withResolvers<unknown>();
    const number = ++this.#number;
    this.#open.set(number, settled);
    this.#child.stdin?.write(`${JSON.stringify({ number, command })}\n`);
    return settled.promise;
  }

  /** Stops it where it is, as a machine that sleeps, or lets it continue. */
  stall(isStalled: boolean): void {
    this.#child.kill(isStalled ? 'SIGSTOP' : 'SIGCONT');
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.exited;
  }

  #take({ number, value, error }: Result): void {
    const settled = this.#open.get(number);
    if (number > 0) this.#open.delete(number);
    if (error === undefined) settled?.resolve(value);
    else settled?.reject(new Error(error));
  }

  #end(): void {
    this.#isOver = true;
    for (const { promise, reject } of this.#open.values()) {
      promise.catch(() => {});
      reject(new Error('The worker process ended.'));
    }
    this.#open.clear();
  }
}
