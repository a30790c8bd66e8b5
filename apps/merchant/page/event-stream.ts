import type { ChangeEvent } from '../shared/api.ts';

/** The stream is connected, and everything may have changed meanwhile; it is lost; or this changed. */
type StreamMessage = 'connected' | 'lost' | ChangeEvent;
type Listener = (message: StreamMessage) => void;

const name = 'merchant-events';
const retryMs = 2_000;

/**
 * Follows the event stream, until the function that is returned is called. A browser has six connections for all windows
 * of the app: the window that holds the lock has the stream, and hands each message to the others. When it closes, the
 * next one takes over.
 */
export function followEvents(listener: Listener): () => void {
  const others = new BroadcastChannel(name);
  others.onmessage = ({ data }) => listener(data);
  const toAll: Listener = (message) => {
    listener(message);
    others.postMessage(message);
  };
  let leaving = new AbortController();
  const follow = (): void => {
    leaving.abort();
    // A browser may freeze a hidden window, and the others would wait for it.
    if (document.hidden) return;
    leaving = new AbortController();
    const { signal } = leaving;
    // Over plain HTTP from another machine there are no locks, and each window has a stream of its own.
    if (!navigator.locks) return void holdStream(listener, signal);
    navigator.locks.request(name, { signal }, () => holdStream(toAll, signal)).catch(() => {});
  };
  document.addEventListener('visibilitychange', follow);
  follow();
  return () => {
    document.removeEventListener('visibilitychange', follow);
    leaving.abort();
    others.close();
  };
}

/** Resolves once the signal has ended the stream. */
function holdStream(listener: Listener, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const connect = (): void => {
      const source = new EventSource('/api/events');
      signal.addEventListener('abort', () => resolve(source.close()));
      source.onopen = () => listener('connected');
      source.onerror = () => {
        listener('lost');
        // The browser reconnects by itself, but not after an HTTP error.
        if (source.readyState === EventSource.CLOSED) setTimeout(() => signal.aborted || connect(), retryMs);
      };
      source.addEventListener('change', ({ data }) => listener(JSON.parse(data)));
    };
    connect();
  });
}
