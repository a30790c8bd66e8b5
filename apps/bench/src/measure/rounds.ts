/** What some requests took. */
export interface Usage {
  readonly requests: number;
  /** CPU time of the whole process, its garbage collector included, in milliseconds. */
  readonly cpuMs: number;
  readonly wallMs: number;
  /** The most memory that the process had held by then, in bytes. */
  readonly peakBytes: number;
}

/** Turns that make a round. Short ones bring the peers close together in time, so that a slow spell meets all of them. */
export const turnsOfRound = 5;

/** Everybody's turns, one after another, in an order that is reversed from time to time: nobody always follows the same. */
export function alternate<Name>(names: readonly Name[], turns: number): Name[] {
  return Array.from({ length: turns }, (_, turn) => (turn % 2 === 0 ? names : names.toReversed())).flat();
}

/** Puts the turns of a peer together to rounds. */
export function roundsOf(turns: readonly Usage[]): Usage[] {
  const rounds: Usage[] = [];
  for (let start = 0; start < turns.length; start += turnsOfRound) {
    rounds.push(turns.slice(start, start + turnsOfRound).reduce(add));
  }
  return rounds;
}

function add(a: Usage, b: Usage): Usage {
  return {
    requests: a.requests + b.requests,
    cpuMs: a.cpuMs + b.cpuMs,
    wallMs: a.wallMs + b.wallMs,
    peakBytes: Math.max(a.peakBytes, b.peakBytes),
  };
}
