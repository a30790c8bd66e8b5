import type { Question, Reply } from './messages.ts';

/** The side of `process` that talks to the parent. */
interface ParentChannel {
  send?(message: Reply): boolean;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'disconnect', listener: () => void): unknown;
  exit(code: number): never;
}

/** Answers the parent's questions with the functions of `api`, until the parent lets go or is gone. */
export function answerParent(api: object, channel: ParentChannel): void {
  const functions = new Map(Object.entries(api));
  const reply = (message: Reply): void => void channel.send?.(message);
  channel.on('message', async (message) => {
    const { name, args } = message as Question;
    try {
      reply({ type: 'result', result: await functions.get(name)(...args) });
    } catch (error) {
      reply({
        type: 'failed',
        message: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
    }
  });
  // A parent that was killed must leave nothing running.
  channel.on('disconnect', () => channel.exit(0));
  reply({ type: 'ready' });
}
