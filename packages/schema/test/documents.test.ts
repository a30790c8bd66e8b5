import { existsSync, readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { buildDocuments } from '../scripts/documents.ts';
import { documentedExample } from './bodies.ts';

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const { version, exports } = JSON.parse(read('package.json'));
const documents = buildDocuments(version);

test('every document is exported as a file', () => {
  for (const name of Object.keys(documents)) expect(exports[`./${name}`]).toBe(`./dist/${name}`);
});

test('the built documents are those that the models give', () => {
  for (const [name, document] of Object.entries(documents)) {
    if (existsSync(new URL(`../dist/${name}`, import.meta.url))) {
      expect(JSON.parse(read(`dist/${name}`)), `${name} is out of date: run the build`).toEqual(document);
    }
  }
});

test('the JSON Schema compiles in strict mode and accepts the documented example', () => {
  const validate = new Ajv2020({ strict: true }).compile(documents['order-update.schema.json'] ?? {});
  expect(validate(documentedExample)).toBe(true);
  expect(validate({})).toBe(false);
});

test('the OpenAPI document passes the linter', async () => {
  const source = JSON.stringify(documents['openapi.json']);
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  expect(problems.map(({ ruleId, severity, message }) => `${severity} ${ruleId}: ${message}`)).toEqual([]);
});

test('the OpenAPI document has the two operations of the API reference, and no more', () => {
  expect(documents['openapi.json']).toMatchObject({
    openapi: '3.1.0',
    info: { version },
    security: [{ privateKey: [] }],
    paths: {
      '/v2/orders/{order_token}': { patch: { operationId: 'updateOrder', requestBody: { required: true } } },
      '/v2/echo_with_private_key': { get: { operationId: 'echoWithPrivateKey' } },
    },
    components: { securitySchemes: { privateKey: { type: 'http', scheme: 'basic' } } },
  });
});
