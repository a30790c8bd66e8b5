/** "1 field", "2 fields". */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

/** The time of today, else with its date. */
export function formatTime(at: string): string {
  const time = new Date(at);
  const isToday = time.toDateString() === new Date().toDateString();
  return time.toLocaleString(undefined, { timeStyle: 'medium', ...(!isToday && { dateStyle: 'medium' }) });
}

/** What is wrong, and what to write instead. */
export const describeIssue = ({
  message,
  hint,
}: {
  readonly message: string;
  readonly hint?: string | undefined;
}): string => `${message.replace(/\.$/, '')}. ${hint ?? ''}`.trim();
