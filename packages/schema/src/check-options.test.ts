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
  ['maxConections', ['maxConnections', 'url'], 'maxConnections'],
  ['max', ['maxConnections', 'url'], 'maxConnections'],
  ['ordres', ['keys', 'orders'], 'orders'],
  ['currency', ['totalAmount', 'currencies'], 'currencies'],
  ['APIKEY', ['apiKey'], 'apiKey'],
])('refuses %s and suggests the known name that is spelled alike', (name, known, meant) => {
  expect(message({ [name]: 1 }, known)).toBe(
    `TypeError: createOrdersClient: unknown option "${name}". Did you mean "${meant}"?`,
  );
});

test.each([
  ['url', ['baseUrl', 'apiKey']],
  ['maxRetries', ['retry', 'maxResponseBytes']],
  ['a', ['apiKey']],
  ['requestsPerMinute', ['requestsPerSecond', 'burst']],
  // Another scale of amounts.
  ['thousandsSeparator', ['decimals', 'decimalSeparator', 'groupSeparator']],
  ['separator', ['decimals', 'decimalSeparator', 'groupSeparator']],
  ['maxSize', ['maxBytes', 'maxWaiting']],
  ['max', ['maxBytes', 'maxWaiting']],
  ['timeoutSeconds', ['timeouts']],
])('lists the known names when none is nearly %s', (name, known) => {
  expect(message({ [name]: 1 }, known)).toBe(
    `TypeError: createOrdersClient: unknown option "${name}". Known: ${known.join(', ')}.`,
  );
});

test.each([3, true, 'my-private-key', ['retry'], AbortSignal.abort(), new Headers(), Promise.resolve()])(
  'refuses %o, which holds no options',
  (options) => {
    expect(message(options, ['retry'])).toBe(
      'TypeError: createOrdersClient: expected an object of options. Known: retry.',
    );
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

test('advice of the caller comes before a name that is spelled alike, and says what to write for no object', () => {
  const advise = (name: string, value: unknown) =>
    name === 'retries' || name === '' ? `Write { attempts: ${value} }.` : undefined;
  const check = (options: unknown) => () => checkOptions('retry', options, ['retry'], advise);
  expect(check({ retries: 3 })).toThrow('retry: unknown option "retries". Write { attempts: 3 }.');
  expect(check(3)).toThrow('retry: expected an object of options. Write { attempts: 3 }.');
  expect(check({ retrys: 3 })).toThrow('Did you mean "retry"?');
});
