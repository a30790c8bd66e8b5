import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boundList } from './bounded-list.ts';

test('is the whole list as JSON while that is short', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.constantFrom('first', 'last'), (values, side) => {
      const entries = values.map((value) => ({ value }));
      const { json, shown, omitted } = boundList(entries, side);
      expect(json).toBe(JSON.stringify(entries));
      expect([shown, omitted]).toEqual([entries, 0]);
    }),
  );
});

const thousandTwo = Array.from({ length: 1_002 }, (_, index) => ({ index }));

test('is the first thousand or the last thousand of a longer one', () => {
  const first = boundList(thousandTwo, 'first');
  expect(JSON.parse(first.json)).toEqual(thousandTwo.slice(0, 1_000));
  expect([first.shown, first.omitted]).toEqual([thousandTwo.slice(0, 1_000), 2]);
  const last = boundList(thousandTwo, 'last');
  expect(JSON.parse(last.json)).toEqual(thousandTwo.slice(2));
  expect([last.shown, last.omitted]).toEqual([thousandTwo.slice(2), 2]);
});

test('holds fewer entries where they are large, and one however large it is', () => {
  const large = { text: 'x'.repeat(10_000_000) };
  expect(boundList([{ n: 1 }, large, large], 'first')).toMatchObject({
    shown: [{ n: 1 }, large],
    omitted: 1,
  });
  expect(boundList([large, large, { n: 1 }], 'last')).toMatchObject({ shown: [large, { n: 1 }], omitted: 1 });
  const larger = { text: 'x'.repeat(20_000_000) };
  expect(boundList([larger, { n: 1 }], 'first')).toMatchObject({ shown: [larger], omitted: 1 });
});

test('shows entries as told', () => {
  const { json, shown } = boundList([{ n: 1 }], 'last', ({ n }) => ({ double: 2 * n }));
  expect([json, shown]).toEqual(['[{"double":2}]', [{ n: 1 }]]);
});
