/** "1 field", "2 fields". */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

/** The time of today, else with its date. */
export function formatTime(at: string): string {
  const time = new Date(at);
  const isToday = time.toDateString() === new Date().toDateString();
  return time.toLocaleString(undefined, { timeStyle: 'medium', ...(!isToday && { dateStyle: 'medium' }) });
}

/** "120 ms", "1.5 s". */
export const formatDuration = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;

/** What is wrong, and what to write instead. */
export const describeIssue = ({
  message,
  hint,
}: {
  readonly message: string;
  readonly hint?: string;
}): string => `${message.replace(/\.$/, '')}. ${hint ?? ''}`.trim();
