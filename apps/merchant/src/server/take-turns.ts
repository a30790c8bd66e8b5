/** Runs tasks one after another, in the order given; one that fails does not hold the next one back. */
export type Turns = <T>(task: () => Promise<T>) => Promise<T>;

/** Makes a row of its own. */
export function takeTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const turn = last.then(task);
    last = turn.catch(() => {});
    return turn;
  };
}
