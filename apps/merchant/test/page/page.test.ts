import { describe } from 'vitest';

/**
 * Groups run side by side, each in sequence and with an app of its own, in windows of one browser. As files of their own
 * they would run in several processes, each with a browser, which costs as much as five tests.
 */
const groups = {
  'the order service': () => import('./service.ts'),
  editor: () => import('./editor.ts'),
  changes: () => import('./changes.ts'),
  outcomes: () => import('./outcomes.ts'),
  views: () => import('./views.ts'),
  'bulk files': () => import('./bulk.ts'),
};
for (const [name, load] of Object.entries(groups))
  describe.concurrent(name, () => {
    describe('in sequence', { concurrent: false }, async () => {
      await load();
    });
  });
