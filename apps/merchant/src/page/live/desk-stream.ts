import { type DeskMessage, NumberedEvent, PassingEvent } from '../../contract/desk-event.ts';

/** Whether the page hears the desk: not yet, now, or no longer. */
export type ConnectionState = 'connecting' | 'open' | 'lost';

/** What happens at the desk, heard by one connection for the whole page. */
export interface DeskStream {
  readonly state: ConnectionState;
  /** Calls back with each message from now on; what it returns ends that. */
  listen(listener: (message: DeskMessage) => void): () => void;
  /** Calls back whenever `state` may have changed; what it returns ends that. */
  watch(listener: () => void): () => void;
  /** Connects until it is closed by what this returns. */
  open(): () => void;
}

/** A browser gives up for good when a proxy answers in the desk's place; the page does not. */
const reopenMs = 2000;

/** @param url Address of the desk's event stream. */
export function createDeskStream(url: string): DeskStream {
  const listeners = new Set<(message: DeskMessage) => void>();
  const watchers = new Set<() => void>();
  let state: ConnectionState = 'connecting';

  const enter = (next: ConnectionState) => {
    if (next === state) return;
    state = next;
    for (const watcher of watchers) watcher();
  };
  const tell = (message: DeskMessage | undefined) => {
    if (message) for (const listener of listeners) listener(message);
  };

  return {
    get state() {
      return state;
    },
    listen: (listener) => add(listeners, listener),
    watch: (watcher) => add(watchers, watcher),
    open() {
      let source: EventSource | undefined;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const connect = () => {
        source = new EventSource(url);
        source.addEventListener('stored', ({ data }) => tell(readStored(data)));
        source.addEventListener('passing', ({ data }) => tell(readPassing(data)));
        source.addEventListener('open', () => enter('open'));
        source.addEventListener('error', () => {
          enter('lost');
          if (source?.readyState === EventSource.CLOSED) timer = setTimeout(connect, reopenMs);
        });
      };
      connect();
      return () => {
        clearTimeout(timer);
        source?.close();
        enter('connecting');
      };
    },
  };
}

function add<T>(set: Set<T>, one: T): () => void {
  set.add(one);
  return () => {
    set.delete(one);
  };
}

function readStored(data: unknown): DeskMessage | undefined {
  const read = NumberedEvent.safeParse(readJson(data));
  return read.success ? { type: 'stored', ...read.data } : undefined;
}

function readPassing(data: unknown): DeskMessage | undefined {
  const read = PassingEvent.safeParse(readJson(data));
  return read.success ? { type: 'passing', event: read.data } : undefined;
}

/** Messages of a kind that this page does not know are passed over: the server may be newer. */
function readJson(data: unknown): unknown {
  try {
    return JSON.parse(String(data));
  } catch {
    return undefined;
  }
}
