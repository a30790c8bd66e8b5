/** Notifications of an outbox: `work` when a lane has something to do, `event` when something was told. */
export function channelOf(schema: string): string {
  return `${schema}_wake`;
}
