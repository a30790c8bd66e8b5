import { expect, test } from 'vitest';
import { checkOptions } from './check-options.ts';

const message = (options: unknown, known: readonly string[]): string => {
  try {
    checkOptions('createOrdersClient', options, known);
    return 'passed';
  } catch (error) {
    return String(error);
  }
};

test.each([
  ['retries', ['rateLimit', 'responseSchema', 'retry'], 'retry'],
  ['timeout', ['timeouts'], 'timeouts'],
  ['maxRetries', ['resendUnknown', 'maxAttempts'], 'maxAttempts'],
  ['ordres', ['keys', 'orders'], 'orders'],
  ['currency', ['totalAmount', 'currencies'], 'currencies'],
  ['APIKEY', ['apiKey'], 'apiKey'],
])('refuses %s and suggests the known name that starts alike', (name, known, meant) => {
  expect(message({ [name]: 1 }, known)).toBe(
    `TypeError: createOrdersClient: unknown option "${name}". Did you mean "${meant}"?`,
  );
});

test('lists the known names when none starts alike', () => {
  expect(message({ url: 1 }, ['baseUrl', 'apiKey'])).toBe(
    'TypeError: createOrdersClient: unknown option "url". Known: baseUrl, apiKey.',
  );
});

test.each([3, true, 'my-private-key', ['retry'], AbortSignal.abort(), new Headers(), Promise.resolve()])(
  'refuses %o, which holds no options',
  (options) => {
    expect(message(options, ['retry'])).toBe('TypeError: createOrdersClient: expected an object of options.');
  },
);

test('refuses an unknown option whose value is undefined', () => {
  expect(message({ retries: undefined }, ['retry'])).toContain('Did you mean "retry"?');
});

test('accepts known options, no options and symbols', () => {
  class Options {
    retry = 1;
  }
  const bare = Object.assign(Object.create(null), { retry: 1 });
  for (const options of [{ retry: 1, [Symbol('retries')]: 1 }, bare, new Options(), undefined, null])
    expect(message(options, ['retry'])).toBe('passed');
});

test('does not show a value', () => {
  expect(message({ key: 'my-private-key' }, ['apiKey'])).not.toContain('my-private-key');
});
