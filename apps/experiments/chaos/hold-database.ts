import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Passes bytes between workers and their database, and holds back what the database sends. */
export interface DatabaseRelay extends AsyncDisposable {
  readonly connectionString: string;
  /**
   * Holds back, for so long, the response to the next commit that marks updates as `sending`, and all that follows it: on
   * its connection alone, or on all. Resolves with whether it came to that before `signal` fired.
   */
  holdNextMark(options: HoldOptions): Promise<boolean>;
}

interface HoldOptions {
  readonly ms: number;
  readonly onAll: boolean;
  /** Called when it begins. */
  readonly onHold: () => void;
  readonly signal: AbortSignal;
}

/** Starts a relay to a database on loopback. */
export async function startDatabaseRelay(connectionString: string): Promise<DatabaseRelay> {
  const target = new URL(connectionString);
  const databases = new Set<Socket>();
  /** Called with each connection on which a mark is about to be committed. */
  let onMark: ((database: Socket) => void) | undefined;
  let holdsAll = false;

  const server = createServer((worker) => {
    const database = connect(Number(target.port), target.hostname);
    databases.add(database);
    let isMarking = false;
    worker.on('data', (chunk) => {
      const statement = chunk.toString('latin1');
      if (statement.includes(`set state = 'sending'`)) isMarking = true;
      else if (isMarking && /commit|rollback/.test(statement)) {
        isMarking = false;
        if (statement.includes('commit')) onMark?.(database);
      }
      database.write(chunk);
    });
    database.on('data', (chunk) => worker.write(chunk));
    if (holdsAll) database.pause();
    worker.on('error', () => {}).on('close', () => database.destroy());
    database
      .on('error', () => {})
      .on('close', () => {
        databases.delete(database);
        worker.destroy();
      });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const url = new URL(connectionString);
  url.port = String(typeof address === 'object' ? address?.port : '');

  return {
    connectionString: url.href,
    holdNextMark({ ms, onAll, onHold, signal }) {
      const held = Promise.withResolvers<boolean>();
      const giveUp = (): void => {
        onMark = undefined;
        held.resolve(false);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      onMark = (marking) => {
        onMark = undefined;
        signal.removeEventListener('abort', giveUp);
        holdsAll = onAll;
        onHold();
        for (const database of onAll ? databases : [marking]) database.pause();
        const goOn = (): void => {
          signal.removeEventListener('abort', goOn);
          clearTimeout(timer);
          holdsAll = false;
          for (const database of databases) database.resume();
          held.resolve(true);
        };
        const timer = setTimeout(goOn, ms);
        signal.addEventListener('abort', goOn, { once: true });
      };
      return held.promise;
    },
    async [Symbol.asyncDispose]() {
      for (const database of databases) database.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
