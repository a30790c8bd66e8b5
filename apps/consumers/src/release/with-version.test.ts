import { expect, test } from 'vitest';
import { withVersion } from './with-version.ts';

test('changes the version and nothing else', () => {
  const source = "/** The version. */\nexport const version = '0.0.0';\n\nexport const other = '0.0.0';\n";
  expect(withVersion(source, '1.2.3-next.0')).toBe(
    "/** The version. */\nexport const version = '1.2.3-next.0';\n\nexport const other = '0.0.0';\n",
  );
});

test('says when there is no version to change', () => {
  expect(() => withVersion('export const versions = 1;', '1.0.0')).toThrow('no line that exports a version');
});
