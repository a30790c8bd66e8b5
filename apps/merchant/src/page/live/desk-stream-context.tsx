import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { createDeskStream, type DeskStream } from './desk-stream.ts';

const Context = createContext<DeskStream | undefined>(undefined);

/** Keeps the page's one connection to the desk's events open. */
export function DeskStreamProvider({ children }: { readonly children: ReactNode }) {
  const [stream] = useState(() => createDeskStream('/api/events'));
  useEffect(() => stream.open(), [stream]);
  return <Context value={stream}>{children}</Context>;
}

/** @throws Error outside of a `DeskStreamProvider`. */
export function useDeskStream(): DeskStream {
  const stream = useContext(Context);
  if (!stream) throw new Error('There is no DeskStreamProvider around this.');
  return stream;
}
