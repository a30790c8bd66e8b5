const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });

/** The time of day of a moment in ISO 8601; with the day where it is not today. */
export function formatTime(at: string, now: Date = new Date()): string {
  const moment = new Date(at);
  const time = clock.format(moment);
  return moment.toDateString() === now.toDateString() ? time : `${day.format(moment)}, ${time}`;
}

/** A duration in milliseconds as `85 ms` or `1.2 s`. */
export function formatDuration(ms: number): string {
  return ms < 950 ? `${Math.round(ms)} ms` : formatSeconds(ms);
}

/** A duration in milliseconds in tenths of a second: `0.8 s`. */
export function formatSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
