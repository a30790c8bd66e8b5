import { expect, test } from 'vitest';
import { acceptsJson, isJsonContentType } from './media-type.ts';

test.each([
  'application/json',
  'Application/JSON',
  'application/json; charset=utf-8',
  'application/json;charset=UTF-8',
  'application/json ; charset="utf-8"',
])('takes the content type %s', (value) => {
  expect(isJsonContentType(value)).toBe(true);
});

test.each([
  '',
  'application/jsonx',
  'application/json; charset=utf-16',
  'application/json; profile=x',
  'text/json',
])('does not take the content type "%s"', (value) => {
  expect(isJsonContentType(value)).toBe(false);
});

test('does not take two content types', () => {
  expect(isJsonContentType('application/json, application/json')).toBe(false);
});

test.each([
  undefined,
  '',
  'application/json',
  '*/*',
  'application/*;q=0.1, text/html',
  'text/html, APPLICATION/JSON; q=0.5',
  '*/*;q=0, application/json',
])('finds JSON accepted by %j', (value) => {
  expect(acceptsJson(value)).toBe(true);
});

test.each([
  'text/html',
  'application/json;q=0',
  'application/json; q=0.0, application/*',
  '*/*;q=0',
  'application/*;q=0, */*',
])('finds JSON excluded by %j', (value) => {
  expect(acceptsJson(value)).toBe(false);
});
