import openApi from '@orders/schema/openapi.json' with { type: 'json' };
import openapiTS, { astToString } from 'openapi-typescript';
import { expect, test } from 'vitest';
import { writeGenerated } from './openapi.ts';
import { runScript } from './processes.ts';

test('openapi-typescript makes types of openapi.json', async () => {
  const types = astToString(await openapiTS(JSON.stringify(openApi)));
  expect(types).toContain('OrderUpdate: {');
  writeGenerated('openapi.ts', types);
});

test('typescript compiles what uses them, and refuses the mistakes in generated-usage.ts', async () => {
  const result = await runScript(import.meta.resolve('typescript/bin/tsc'), ['--project', 'tsconfig.json']);
  expect(result).toMatchObject({ code: 0, stdout: '' });
});
