/** Where a measurement says how far it is. */
export interface Progress {
  begin(title: string, steps: number): void;
  step(): void;
  end(): void;
}

/** Goes through things in turn, and tells the progress of it. */
export async function throughEach<T>(
  progress: Progress,
  title: string,
  things: readonly T[],
  task: (thing: T) => Promise<void>,
): Promise<void> {
  progress.begin(title, things.length);
  for (const thing of things) {
    await task(thing);
    progress.step();
  }
  progress.end();
}
