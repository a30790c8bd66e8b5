import { afterEach, beforeEach, expect, test } from 'vitest';
import { getRetryAfterMs } from './rate-headers.ts';
import type { ResponseHeaders } from './transport.ts';

const now = Date.parse('2026-11-21T12:00:00Z');
const seconds = now / 1_000;

// What a value means does not depend on where the process runs.
const zone = process.env['TZ'];
beforeEach(() => {
  process.env['TZ'] = 'Asia/Tokyo';
  expect(new Date(now).getHours()).toBe(21);
});
afterEach(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

/** The value of a header, and the delay in milliseconds. */
type Case = readonly [value: string | readonly string[], ms: number | undefined];

const delays: readonly Case[] = [
  ['120', 120_000],
  ['0', 0],
  ['007', 7_000],
  [' 5 ', 5_000],
  ['\t5', 5_000],
  ['1.5', 1_500],
  ['0.0001', 1],
  ['31536000', 31_536_000_000],
];
const times: readonly Case[] = [
  [`${seconds + 30}`, 30_000],
  [`${seconds + 30}.5`, 30_500],
  [`${seconds - 30}`, 0],
  ['1000000001', 0],
  [`${now + 30_000}`, 30_000],
  [`${now + 30_000}.25`, 30_001],
  [`${now - 30_000}`, 0],
  ['100000000001', 0],
];
const dates: readonly Case[] = [
  ['Sat, 21 Nov 2026 12:00:30 GMT', 30_000],
  ['Sat, 21 Nov 2026 11:59:00 GMT', 0],
  ['Sat, 21 Nov 2026 12:00:30', 30_000],
  ['Saturday, 21-Nov-26 12:00:30 GMT', 30_000],
  ['Saturday, 21-Nov-26 11:59:00 GMT', 0],
  ['Sunday, 06-Nov-94 08:49:37 GMT', 0],
  ['Sat Nov 21 12:00:30 2026', 30_000],
  ['Sat Nov 21 11:59:00 2026', 0],
  ['Sun Nov 22 12:00:00 2026', 86_400_000],
  ['Tue Dec  1 12:00:00 2026', 864_000_000],
  ['Sat Nov 21 12:00:30 2026 GMT', 30_000],
];
const noDelays: readonly Case[] = [
  ['', undefined],
  [' ', undefined],
  ['-1', undefined],
  ['+5', undefined],
  ['1.', undefined],
  ['.5', undefined],
  ['1,5.', 1_000],
  ['1e3', undefined],
  ['0x10', undefined],
  ['5 s', undefined],
  ['6m0s', undefined],
  ['NaN', undefined],
  ['Infinity', undefined],
  ['soon', undefined],
  ['Sat, never', undefined],
  ['Sat, 21 Nov 2026', undefined],
  ['Sat, 21 Nov 2026 25:00:30 GMT', undefined],
  ['Sat, 21 Nov 2026 12:00:30 EST', undefined],
  ['31536001', undefined],
  ['999999999', undefined],
  ['1000000000', undefined],
  ['9999999999', undefined],
  [`${now * 1_000}`, undefined],
  [`${now}000000`, undefined],
  ['9'.repeat(400), undefined],
  ['Fri, 31 Dec 9999 23:59:59 GMT', undefined],
  ['Fri Dec 31 23:59:59 9999', undefined],
];
const several: readonly Case[] = [
  ['5, 60', 60_000],
  ['60,5', 60_000],
  [['5', '60'], 60_000],
  [['5', 'soon'], 5_000],
  [['soon', '5'], 5_000],
  [['5', '999999999'], 5_000],
  ['Sat, 21 Nov 2026 12:00:30 GMT, Sat, 21 Nov 2026 12:01:00 GMT', 60_000],
  [['Sat, 21 Nov 2026 12:00:30 GMT', '5'], 30_000],
  ['Sat Nov 21 12:00:30 2026, 60', 60_000],
  [[], undefined],
];
const values = [...delays, ...times, ...dates, ...noDelays, ...several];

const headers = ['retry-after', 'ratelimit-reset', 'x-ratelimit-reset'];
test.each(headers.flatMap((name) => values.map(([value, ms]) => [name, value, ms] as const)))(
  'reads %s %j',
  (name, value, ms) => {
    expect(getRetryAfterMs({ status: 429, headers: { [name]: value } }, now)).toBe(ms);
  },
);

test.each<Case>([
  ['"default";r=0;t=30', 30_000],
  ['"default"; r=0; t=30', 30_000],
  ['"default";t=30;r=0', 30_000],
  ['default;r=0;t=30', 30_000],
  ['"default";r=0;t=0', 0],
  ['"default";r=0;pk=:dGVzdA==:;t=30', 30_000],
  ['"default";r=2;t=30', 30_000],
  ['"default";t=30', 30_000],
  ['"hour";r=900;t=3500, "second";r=0;t=1', 1_000],
  ['"hour";r=0;t=3500, "second";r=0;t=1', 3_500_000],
  [['"hour";r=900;t=3500', '"second";r=0;t=1'], 1_000],
  ['"a, b";r=0;t=30', 30_000],
  ['limit=10, remaining=0, reset=30', 30_000],
  ['limit=10,remaining=0,reset=30', 30_000],
  ['reset=30, limit=10, remaining=0', 30_000],
  [['limit=10', 'remaining=0', 'reset=30'], 30_000],
  [`"default";r=0;t=${now + 30_000}`, 30_000],
  ['"default";r=0;t=999999999', undefined],
  ['"default";r=0;t=-1', undefined],
  ['"default";r=0;t=soon', undefined],
  ['"default";r=0', undefined],
  ['"default";r=0;wt=30', undefined],
  ['"t=30', undefined],
  ['limit=10', undefined],
  ['', undefined],
])('reads RateLimit %j', (value, ms) => {
  expect(getRetryAfterMs({ status: 429, headers: { ratelimit: value } }, now)).toBe(ms);
});

test.each<[status: number, headers: ResponseHeaders, ms: number | undefined]>([
  [429, {}, undefined],
  [429, { 'retry-after': '1', ratelimit: '"a";r=0;t=2', 'ratelimit-reset': '3' }, 1_000],
  [429, { 'retry-after': '0', 'ratelimit-reset': '3' }, 0],
  [429, { ratelimit: '"a";r=0;t=2', 'ratelimit-reset': '3', 'x-ratelimit-reset': '4' }, 2_000],
  [429, { 'ratelimit-reset': '3', 'x-ratelimit-reset': '4' }, 3_000],
  [429, { 'retry-after': 'soon', 'ratelimit-reset': '-1', 'x-ratelimit-reset': '4' }, 4_000],
  [429, { 'retry-after': '999999999', ratelimit: '"a";r=0', 'x-ratelimit-reset': '4' }, 4_000],
  [503, { 'retry-after': '1' }, 1_000],
  [503, { ratelimit: '"a";r=0;t=2', 'ratelimit-reset': '3', 'x-ratelimit-reset': '4' }, undefined],
])('asks Retry-After first, and the rate limit for a 429 alone: %i %j', (status, headers, ms) => {
  expect(getRetryAfterMs({ status, headers }, now)).toBe(ms);
});

test.each<[headers: ResponseHeaders, ms: number]>([
  [{ 'retry-after': 'Sat, 21 Nov 2026 12:00:30 GMT' }, 90_000],
  [{ 'retry-after': 'Sat Nov 21 12:00:30 2026' }, 90_000],
  [{ 'retry-after': `${seconds + 30}` }, 90_000],
  [{ 'x-ratelimit-reset': `${now + 30_000}` }, 90_000],
  [{ 'x-ratelimit-reset': `${seconds - 90}` }, 0],
  [{ 'retry-after': '30' }, 30_000],
])('compares with the Date of the response, one minute behind this clock: %j', (headers, ms) => {
  for (const date of ['Sat, 21 Nov 2026 11:59:00 GMT', 'Sat Nov 21 11:59:00 2026'])
    expect(getRetryAfterMs({ status: 429, headers: { ...headers, date } }, now)).toBe(ms);
});

test('compares with this clock when the Date of the response cannot be read', () => {
  const headers = { date: 'yesterday', 'retry-after': `${seconds + 30}` };
  expect(getRetryAfterMs({ status: 429, headers }, now)).toBe(30_000);
});
