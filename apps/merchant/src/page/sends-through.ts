import type { SendsThrough } from '../contract/outbox-view.ts';

/** What sends the updates of the desk that served this page. */
export function readSendsThrough(): SendsThrough {
  const { content } = document.querySelector<HTMLMetaElement>('meta[name="sends-through"]') ?? {};
  return content === 'outbox' ? 'outbox' : 'client';
}
