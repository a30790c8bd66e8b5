import { expect, test } from 'vitest';
import { checkHeaders } from './request-headers.ts';

test('takes headers of the user, with names in lower case', () => {
  expect(checkHeaders({ 'X-Shop': 'a b', traceparent: '00-1-2-03' })).toEqual({
    'x-shop': 'a b',
    traceparent: '00-1-2-03',
  });
});

test.each(['Authorization', 'host', 'Content-Type', 'content-length', 'Transfer-Encoding', 'Connection'])(
  'refuses %s, which the client sets itself',
  (name) => {
    expect(() => checkHeaders({ [name]: 'x' })).toThrow(TypeError);
  },
);

test.each([
  ['x-a\r\nx-b', '1'],
  ['', '1'],
  ['x a', '1'],
  ['x-a', 'swordfish\r\nx-b: 2'],
  ['x-a', 'swordfish\0'],
  ['x-a', 'swordfish ✓'],
])('refuses the header %j: %j without showing its value', (name, value) => {
  expect(() => checkHeaders({ [name]: value })).toThrow(TypeError);
  expect(() => checkHeaders({ [name]: value })).not.toThrow(/swordfish/);
});
