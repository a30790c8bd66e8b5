import { documentedExample } from '@orders/testing';
import { hostileJson, invalidOrderUpdates } from '@orders/testing/arbitraries';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fieldNames } from '../../contract/desk-update.ts';
import { type ExplainedJson, explainJson, tellProblem } from './explain-json.ts';

const brief = ({ problems }: ExplainedJson) =>
  problems.map(({ line, path, message }) => [line, path, message]);

test('explains mistakes of the wild on the lines they are on', () => {
  const text = `{
  "webhook_url": "https://shop.example/hook",
  "require_shipping": "true",
  "shipping_adress": { "city": "Oslo" },
  "billing_address": {},
  "cart": {
    "items": [
      { "sku": 4711, "quantity": "2",
        "unit_price": 399.7999999999997
      }
    ]
  }
}`;
  const explained = explainJson(text);
  expect(brief(explained)).toEqual([
    [2, 'webhook_url', 'Unknown field'],
    [3, 'require_shipping', 'Expected true or false, got "true"'],
    [4, 'shipping_adress', 'Unknown field'],
    [5, 'billing_address', 'Not set by this operation'],
    [8, 'cart.items[0].sku', 'Expected a string, got 4711'],
    [8, 'cart.items[0].quantity', 'Expected an integer, got "2"'],
    [9, 'cart.items[0].unit_price', 'Expected an integer, got 399.7999999999997'],
  ]);
  expect(explained.problems.map(({ hint }) => hint).slice(0, 4)).toEqual([
    'Move it to hooks.webhook_url.',
    'Write true, without quotes.',
    'Did you mean shipping_address?',
    expect.stringContaining('checkout page'),
  ]);
  expect(explained.update).toEqual(JSON.parse(text));
});

test.each([
  ['{"cart": {},\n}', [[1, undefined, 'A comma too many']]],
  [
    '{"cart": {}, // none\n"a": NaN}',
    [
      [1, undefined, 'JSON has no comments'],
      [2, undefined, 'JSON has no NaN'],
    ],
  ],
])('explains %j, which is not JSON', (text, problems) => {
  const explained = explainJson(text);
  expect(brief(explained)).toEqual(problems);
  expect(explained).toMatchObject({ isJson: false });
  expect(explained).not.toHaveProperty('update');
});

test('points to what would hold a field that is missing', () => {
  expect(brief(explainJson('\n\n{\n}'))).toEqual([[3, 'cart', 'Required']]);
});

test('points to the last of two fields of one name, which is the one that counts', () => {
  expect(brief(explainJson('{"cart": {},\n"order_id": 1,\r\n"order_id": 2}'))).toEqual([
    [3, 'order_id', 'Expected a string, got 2'],
  ]);
});

test.each(['\n', '\r\n', '\r'])('counts lines that end in %j', (end) => {
  const text = `{${end.repeat(30)}"order_id": 1,${end.repeat(30)}"cart": {}}`;
  expect(brief(explainJson(text))).toEqual([[31, 'order_id', 'Expected a string, got 1']]);
});

test.each(['[]', '"cart"', '3', 'null'])('takes no update from %s', (text) => {
  const explained = explainJson(text);
  expect(explained.isJson).toBe(true);
  expect(explained.problems).toHaveLength(1);
  expect(explained).not.toHaveProperty('update');
});

test('finds nothing in the documented example', () => {
  expect(explainJson(JSON.stringify(documentedExample(), null, 2)).problems).toEqual([]);
});

test('points to the line of the very field that is wrong', () => {
  fc.assert(
    fc.property(
      invalidOrderUpdates({ definition: fieldNames }).filter(({ json }) => json),
      ({ body, path }) => {
        const text = JSON.stringify(body, null, 1);
        const { problems, lines } = explainJson(text);
        const problem = problems.find((one) => one.path === path);
        const name = /(\w+)$/.exec(path)?.[1];
        // What JSON cannot hold is gone from the text, and so is what is wrong with it.
        if (!problem || !name || problem.message === 'Required') return;
        expect(lines[problem.line - 1]).toContain(`"${name}"`);
      },
    ),
  );
});

test('never throws, and stays within the text', () => {
  fc.assert(
    fc.property(fc.oneof(hostileJson(), fc.string(), fc.json()), (text) => {
      const { problems, lines } = explainJson(text);
      for (const { line } of problems) expect(lines[line - 1]).toBeDefined();
    }),
  );
});

test('tells a problem in one line', () => {
  expect(tellProblem({ line: 3, column: 4, message: 'A comma too many', hint: 'Remove it.' })).toBe(
    'Line 3, column 4: A comma too many. Remove it.',
  );
  expect(tellProblem({ line: 3, path: 'cart', message: 'Required' })).toBe('Line 3: cart: Required.');
});
