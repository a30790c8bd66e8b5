import { useEffect, useState } from 'react';

/** A value as it was when it last stayed the same for a while; at once where the while is none. */
export function useSettled<T>(value: T, quietMs: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    if (quietMs === 0) return setSettled(value);
    const timer = setTimeout(() => setSettled(value), quietMs);
    return () => clearTimeout(timer);
  }, [value, quietMs]);
  return settled;
}
