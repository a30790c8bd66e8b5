/** A list that keeps its last entries, and counts those that it dropped. */
export interface History<Entry> {
  /** Always the same list. */
  readonly entries: readonly Entry[];
  /** How many entries went before the first one here. */
  readonly dropped: number;
  add(entry: Entry): void;
  clear(): void;
}

export function createHistory<Entry>(limit: number): History<Entry> {
  const entries: Entry[] = [];
  let dropped = 0;
  return {
    entries,
    get dropped() {
      return dropped;
    },
    add(entry) {
      entries.push(entry);
      if (entries.length <= limit) return;
      entries.shift();
      dropped += 1;
    },
    clear() {
      entries.length = 0;
      dropped = 0;
    },
  };
}
