/** Whether PostgreSQL's text can hold it as it is; what cannot be stored was never found either. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
