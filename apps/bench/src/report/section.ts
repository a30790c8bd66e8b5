import Table from 'cli-table3';

/** A table with a title: the head first, text to the left and figures to the right. */
export function section(title: string, [head = [], ...rows]: readonly string[][]): string {
  const colAligns = head.map((_, column) => (column === 0 ? 'left' : 'right')) as ('left' | 'right')[];
  const table = new Table({ head: [...head], colAligns, style: { head: [], border: [], compact: true } });
  table.push(...rows);
  return `${title}\n${table.toString()}`;
}
