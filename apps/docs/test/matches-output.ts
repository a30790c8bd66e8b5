/** Whether a text is the output on a page; `…` on the page stands for anything on its line. */
export function matchesOutput(text: string, output: string): boolean {
  const pattern = output
    .trim()
    .split('…')
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    .join('.*');
  return new RegExp(`^${pattern}$`).test(text.trim());
}
