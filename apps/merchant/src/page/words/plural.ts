/** A count and its noun: `1 line`, `2 lines`. */
export function plural(count: number, one: string, more: string): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : more}`;
}
