/** Where a line is dropped: before or after a line. */
export interface LineDrop {
  readonly from: number;
  /** The line that it is dropped on. */
  readonly onto: number;
  readonly edge: 'top' | 'bottom';
}

/** The index that a dropped line has in the end. */
export function dropIndex({ from, onto, edge }: LineDrop): number {
  const before = edge === 'top' ? onto : onto + 1;
  return from < before ? before - 1 : before;
}
