import { expect, test } from 'vitest';
import { compareDocuments } from './api-compare-documents.ts';

const document = {
  openapi: '3.1.0',
  paths: {
    '/orders/{token}': {
      patch: {
        summary: 'Update',
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } } },
        responses: {
          '2XX': {
            content: { 'application/json': { schema: { type: 'string', enum: ['applied'], maxLength: 9 } } },
          },
        },
      },
    },
  },
  components: {
    schemas: {
      Order: {
        type: 'object',
        required: ['cart'],
        properties: {
          cart: { type: 'object', description: 'The cart.' },
          title: { type: 'string', maxLength: 255 },
          currency: { enum: ['EUR', 'SEK'] },
        },
      },
    },
  },
};

const order = 'components.schemas.Order';

test.each<readonly [fact: string, from: string, to: string, changes: readonly string[]]>([
  ['another text', '"The cart."', '"What is bought."', []],
  ['a text that is gone', '"summary":"Update",', '', []],
  [
    'a new field',
    '"title":{',
    '"note":{"type":"string"},"title":{',
    [`added: ${order}.properties.note was added`],
  ],
  [
    'a field named as a text is',
    '"title":{',
    '"description":{"type":"string"},"title":{',
    [`added: ${order}.properties.description was added`],
  ],
  [
    'a new value',
    '["EUR","SEK"]',
    '["EUR","NOK","SEK"]',
    [`added: ${order}.properties.currency.enum was added`],
  ],
  ['a field that need not be sent', '["cart"]', '[]', [`added: ${order}.required was added`]],
  [
    'a limit that falls away',
    ',"maxLength":255',
    '',
    [`added: ${order}.properties.title.maxLength was removed`],
  ],
  ['a new operation', '"patch":{', '"get":{},"patch":{', ['added: paths./orders/{token}.get was added']],
  ['a new path', '"/orders/{token}":{', '"/echo":{},"/orders/{token}":{', ['added: paths./echo was added']],
  ['a field that must be sent', '["cart"]', '["cart","title"]', [`breaking: ${order}.required was changed`]],
  [
    'a field that is gone',
    '"currency":',
    '"coin":',
    [`breaking: ${order}.properties.currency was removed`, `added: ${order}.properties.coin was added`],
  ],
  [
    'a value that is gone',
    '["EUR","SEK"]',
    '["EUR"]',
    [`breaking: ${order}.properties.currency.enum was changed`],
  ],
  [
    'a new limit',
    '"title":{',
    '"title":{"minLength":1,',
    [`breaking: ${order}.properties.title.minLength was added`],
  ],
  [
    'another limit',
    '"maxLength":255',
    '"maxLength":100',
    [`breaking: ${order}.properties.title.maxLength was changed`],
  ],
  [
    'another type',
    '"cart":{"type":"object"',
    '"cart":{"type":"array"',
    [`breaking: ${order}.properties.cart.type was changed`],
  ],
  [
    'an operation that is gone',
    '"patch":',
    '"put":',
    ['breaking: paths./orders/{token}.patch was removed', 'added: paths./orders/{token}.put was added'],
  ],
  [
    'an answer with another value',
    '["applied"]',
    '["applied","queued"]',
    ['breaking: paths./orders/{token}.patch.responses.2XX.content.application/json.schema.enum was changed'],
  ],
  [
    'an answer without its limit',
    ',"maxLength":9',
    '',
    [
      'breaking: paths./orders/{token}.patch.responses.2XX.content.application/json.schema.maxLength was removed',
    ],
  ],
])('%s', (_fact, from, to, changes) => {
  const text = JSON.stringify(document);
  expect(text).toContain(from);
  const found = compareDocuments(document, JSON.parse(text.replace(from, to)));
  expect(found.map(({ effect, what }) => `${effect}: ${what}`)).toEqual(changes);
});

test('the order of keys means nothing', () => {
  expect(compareDocuments({ type: 'string', maxLength: 1 }, { maxLength: 1, type: 'string' })).toEqual([]);
});
