import { expect } from 'vitest';
import type { TestApp } from './open-test-app.ts';

/** Opens the event stream. What is returned waits for changes until a condition holds after one, as a page does that fetches again. */
export async function followEvents(
  app: TestApp,
): Promise<(isSeen: () => Promise<boolean> | boolean) => Promise<void>> {
  const stream = await fetch(`${app.url}/api/events`);
  expect(stream.headers.get('content-type')).toContain('text/event-stream');
  const reader = (stream.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader.read()).value).toMatch(/^: connected\n\n/);
  return async (isSeen) => {
    for (let text = ''; ; ) {
      const { value, done } = await reader.read();
      if (done) throw new Error('The stream ended.');
      text += value;
      if (!/^event: change\ndata: \n\n/m.test(text)) continue;
      text = '';
      if (await isSeen()) break;
    }
    await reader.cancel();
  };
}
