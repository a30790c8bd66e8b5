import { BASIC } from '@hyperjump/json-schema/experimental';
import { validate } from '@hyperjump/json-schema/openapi-3-1';
import openApi from '@orders/schema/openapi.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { openApiFile } from './openapi.ts';
import { runScript } from './processes.ts';

test('@hyperjump/json-schema finds openapi.json valid by the schema of OpenAPI 3.1', async () => {
  const output = await validate('https://spec.openapis.org/oas/3.1/schema-base', openApi, BASIC);
  expect(output).toMatchObject({ valid: true });
});

test('@redocly/cli has no error or warning for openapi.json by recommended-strict', async () => {
  const args = ['lint', openApiFile, '--extends', 'recommended-strict', '--format', 'json'];
  const { stdout } = await runScript(import.meta.resolve('@redocly/cli/bin/cli.js'), args);
  expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0 }, problems: [] });
});

test('@stoplight/spectral-cli has no result for openapi.json by spectral:oas', async () => {
  const args = ['lint', openApiFile, '--ruleset', 'spectral.json', '--fail-severity', 'hint'];
  const result = await runScript(import.meta.resolve('@stoplight/spectral-cli/dist/index.js'), args);
  expect(result).toMatchObject({ code: 0, stdout: expect.stringMatching(/^No results/) });
});
