import process from 'node:process';
import { Duplex } from 'node:stream';

/**
 * One end of a connection in memory: what one end writes, the other reads, a turn of the loop later, in order.
 *
 * It has what HTTP servers and clients ask of a socket beyond a stream; nothing of it keeps a process alive.
 */
export class MemorySocket extends Duplex {
  /** What undici and Node read to tell how much has passed. */
  bytesRead = 0;
  bytesWritten = 0;
  readonly remoteAddress = '127.0.0.1';
  #other: MemorySocket | undefined;
  #resume: (() => void) | undefined;

  /** The server's end may go on writing when the client's has ended; the client's ends with the server's. */
  static pair(): { readonly near: MemorySocket; readonly far: MemorySocket } {
    const near = new MemorySocket({ allowHalfOpen: false });
    const far = new MemorySocket({ allowHalfOpen: true });
    near.#other = far;
    far.#other = near;
    return { near, far };
  }

  override _read(): void {
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
  }

  override _write(chunk: Buffer, _: string, callback: () => void): void {
    this.bytesWritten += chunk.length;
    this.#tell((other) => other.#take(chunk, callback), callback);
  }

  override _final(callback: () => void): void {
    this.#tell((other) => other.push(null));
    callback();
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    // Whoever still waits for the other end to read more will never hear of it otherwise.
    this._read();
    this.#tell((other) => {
      if (!other.readableEnded) other.push(null);
    });
    callback(error);
  }

  /** Breaks the connection (RST), as `net.Socket` does. */
  resetAndDestroy(): this {
    this.#tell((other) => {
      other.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' }));
    });
    return this.destroy();
  }

  /** Ends the connection (FIN) once everything is written, as `net.Socket` does. */
  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setTimeout(): this {
    return this;
  }

  #take(chunk: Buffer, callback: () => void): void {
    this.bytesRead += chunk.length;
    if (this.push(chunk)) callback();
    else this.#resume = callback;
  }

  /** Later, so that nobody is called back from within a call of their own. */
  #tell(news: (other: MemorySocket) => void, otherwise?: () => void): void {
    const other = this.#other;
    process.nextTick(() => {
      if (other === undefined || other.destroyed || other.readableEnded) otherwise?.();
      else news(other);
    });
  }
}
