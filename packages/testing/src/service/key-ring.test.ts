import { expect, test } from 'vitest';
import { basic } from '../../test/send.ts';
import { createKeyRing } from './key-ring.ts';

test('makes a key of its own for each ring when none is given', () => {
  const [one, two] = [createKeyRing(undefined), createKeyRing(undefined)];
  expect(one.first).not.toBe(two.first);
  expect(one.identify(basic(`${one.first}:`))).toEqual({
    scheme: 'basic',
    keyIndex: 0,
    keyType: 'SalesChannelApiKey',
  });
});

test('tells which of many keys was sent, by place and type', () => {
  const ring = createKeyRing(['plain', { key: 'typed', type: 'ReportApiKey' }, { key: 'untyped' }]);
  expect(ring.identify(basic('typed:'))).toMatchObject({ keyIndex: 1, keyType: 'ReportApiKey' });
  expect(ring.identify(basic('untyped:'))).toMatchObject({ keyIndex: 2, keyType: 'SalesChannelApiKey' });
});

test('takes keys beyond ASCII as UTF-8', () => {
  expect(createKeyRing(['nøkkel']).identify(basic('nøkkel:'))).toMatchObject({ keyIndex: 0 });
});

test('hands out the first key that may update', () => {
  expect(createKeyRing({ reading: 'ReportApiKey', updating: 'SalesChannelApiKey' }).first).toBe('updating');
  expect(createKeyRing({ reading: 'ReportApiKey' }).first).toBe('reading');
});

test.each([
  ['empty', '', /keys\[1\] is empty/],
  ['with a colon', 'sec:ret', /keys\[1\] holds a colon/],
  ['with a line break', 'sec\nret', /keys\[1\] holds a control character/],
  ['with half a surrogate pair', 'sec\ud800ret', /keys\[1\] holds half a surrogate pair/],
  ['given twice', 'good', /keys\[1\] is given twice/],
])('refuses a key %s without showing it', (_, key, message) => {
  const make = () => createKeyRing(['good', key]);
  expect(make).toThrow(TypeError);
  expect(make).toThrow(message);
  expect(make).not.toThrow(/sec/);
});

test('refuses to start without any key', () => {
  expect(() => createKeyRing([])).toThrow('keys: give at least one');
});
