import { OrderUpdate } from '@orders/schema';
import { hostileJson, invalidOrderUpdates, orderUpdates } from '@orders/testing/arbitraries';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { examples } from './examples.ts';
import { explainBody, maxLength } from './explain-body.ts';
import { nameSchema, noNames } from './own-names.ts';

test('an empty text, or blanks, are nothing to explain', () => {
  expect(explainBody('', OrderUpdate)).toEqual({ state: 'empty' });
  expect(explainBody(' \n', OrderUpdate)).toEqual({ state: 'empty' });
});

test('a text that would hold up the page is not read', () => {
  expect(explainBody(`${' '.repeat(maxLength)}{}`, OrderUpdate)).toEqual({ state: 'too_long' });
});

test('a body that passes is told with the bytes that would be sent', () => {
  expect(explainBody('{ "cart": {}, "order_id": "é" }', OrderUpdate)).toEqual({ state: 'passes', bytes: 27 });
});

test('each issue stands on its line, and the list follows the text', () => {
  const text =
    '{\n  "require_shipping": "true",\n  "cart": {\n    "items": [\n      { "sku": 1 }\n    ]\n  }\n}';
  expect(explainBody(text, OrderUpdate)).toMatchObject({
    state: 'refused',
    issues: [
      { path: 'require_shipping', hint: 'Write true, without quotes.', place: { line: 2, column: 3 } },
      { path: 'cart.items[0].sku', place: { line: 5, column: 9, length: 8 } },
    ],
  });
});

test('what is missing is told where it should stand', () => {
  expect(explainBody('{\n  "order_id": "a"\n}', OrderUpdate)).toMatchObject({
    issues: [{ path: 'cart', code: 'required', place: { line: 1, column: 1 } }],
  });
});

test('of a name given twice the last is told, as it is the one that counts', () => {
  const text = '{ "cart": {},\n"order_id": "a",\n"order_id": 1 }';
  expect(explainBody(text, OrderUpdate)).toMatchObject({ issues: [{ place: { line: 3 } }] });
});

const codes = [
  [],
  ['not_integer', 'not_integer'],
  ['invalid_type', 'invalid_type'],
  ['invalid_type'],
  ['misplaced', 'misplaced', 'invalid_url'],
  ['invalid_type', 'invalid_type', 'invalid_type', 'invalid_type'],
  ['misspelled', 'misspelled', 'misspelled', 'misspelled'],
  ['invalid_type', 'invalid_currency', 'invalid_type'],
  'broken',
  ['not_integer', 'out_of_range', 'invalid_type'],
];

test.each(examples.map((example, index) => ({ ...example, told: codes[index] })))(
  'the example "$title" shows what its title says',
  ({ text, names, told }) => {
    const named = nameSchema({ ...noNames, ...names });
    const report = explainBody(text, 'schema' in named ? named.schema : OrderUpdate);
    if (report.state === 'refused') expect(report.issues.map(({ code }) => code)).toEqual(told);
    else expect([report.state === 'passes' ? [] : report.state]).toEqual([told]);
  },
);

test('any valid update passes, and any invalid one is told at the path of its flaw, within the text', () => {
  fc.assert(
    fc.property(orderUpdates(), (body) => {
      expect(explainBody(JSON.stringify(body, undefined, 2), OrderUpdate).state).toBe('passes');
    }),
    { numRuns: 50 },
  );
  fc.assert(
    fc.property(invalidOrderUpdates({ json: true }), ({ body, path }) => {
      const text = JSON.stringify(body, undefined, 1);
      fc.pre(text.length <= maxLength);
      const report = explainBody(text, OrderUpdate);
      expect(report).toMatchObject({ state: 'refused', issues: [{ path }] });
      if (report.state !== 'refused') return;
      const [issue] = report.issues;
      expect(text.slice(issue?.place.offset).length).toBeGreaterThan(0);
    }),
    { numRuns: 100 },
  );
});

test('hostile text is explained or told to be broken, and never throws', () => {
  fc.assert(
    fc.property(hostileJson(), (text) => {
      expect(() => explainBody(text, OrderUpdate)).not.toThrow();
    }),
    { numRuns: 60 },
  );
});
