/** Whether a text is what a page says; `…` on the page stands for anything on its line. */
export function isAsTold(text: string, told: string): boolean {
  const pattern = told
    .trim()
    .split('…')
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    .join('.*');
  return new RegExp(`^${pattern}$`).test(text.trim());
}
