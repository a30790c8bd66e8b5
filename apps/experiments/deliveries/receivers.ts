import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../.ci/free-ports.ts';
import type { ReceiverSettings } from './protocol.ts';

const script = fileURLToPath(new URL('./receiver.ts', import.meta.url));

/** Processes that receive webhooks, each on a port of its own; one that ends is started again. */
export class Receivers implements AsyncDisposable {
  readonly ports: readonly number[];
  readonly #settings: Omit<ReceiverSettings, 'port'>;
  /** Those that have started, and when. */
  readonly #running = new Map<number, { readonly child: ChildProcess; readonly readyAtMs: number }>();
  /** How often one was killed. */
  kills = 0;
  #isOver = false;

  static async start(count: number, settings: Omit<ReceiverSettings, 'port'>): Promise<Receivers> {
    const ports: number[] = [];
    for (let index = 0; index < count; index++) ports.push(await freePort());
    return new Receivers(ports, settings);
  }

  private constructor(ports: readonly number[], settings: Omit<ReceiverSettings, 'port'>) {
    this.ports = ports;
    this.#settings = settings;
    for (const port of ports) void this.#keep(port);
  }

  /** Starts a process again and again. */
  async #keep(port: number): Promise<void> {
    while (!this.#isOver) {
      const env = { ...process.env, RECEIVER: JSON.stringify({ ...this.#settings, port }) };
      const child = spawn(process.execPath, ['--conditions=@orders/source', script], {
        env,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const exited = once(child, 'exit');
      child.stdout?.once('data', () => this.#running.set(port, { child, readyAtMs: performance.now() }));
      await exited;
      this.#running.delete(port);
      // Its database may be away.
      await delay(100);
    }
  }

  /** Kills one that has been there for so long, in milliseconds: a busy machine starts them more slowly than they are killed. */
  kill(random: () => number, ageMs: number): void {
    const old = [...this.#running.values()].filter(({ readyAtMs }) => performance.now() - readyAtMs >= ageMs);
    const { child } = old[Math.floor(random() * old.length)] ?? {};
    if (child?.kill('SIGKILL')) this.kills++;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    const exits = [...this.#running.values()].map(({ child }) => {
      child.kill('SIGTERM');
      return once(child, 'exit');
    });
    await Promise.all(exits);
  }
}
