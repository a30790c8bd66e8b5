import { join } from 'node:path';
import { expect, test } from 'vitest';
import { adviceIn } from '../../../.ci/advice.ts';

test('no message of this package says what to write: a key is never guessed', () => {
  expect(adviceIn(join(import.meta.dirname, '.'))).toEqual([]);
});
