import type { UpdateSource } from '../../shared/api.ts';

/** Where an update came from, in words. */
export const sources: Readonly<Record<UpdateSource, string>> = {
  editor: 'Editor',
  bulk: 'Bulk file',
  webhook: 'QR payment',
  burst: 'Burst',
  start: 'Start of the app',
  other: 'Another program',
};
