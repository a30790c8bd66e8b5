import { describe } from 'vitest';

// As files of their own they would run in several processes, each with a browser, which costs as much as five tests.
describe('bulk files', async () => {
  await import('./bulk.ts');
});
describe('editor', async () => {
  await import('./editor.ts');
});
describe('outcomes', async () => {
  await import('./outcomes.ts');
});
describe('views', async () => {
  await import('./views.ts');
});
