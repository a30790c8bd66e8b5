import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BASIC } from '@hyperjump/json-schema/experimental';
import { validate } from '@hyperjump/json-schema/openapi-3-1';
import { type Case, check } from './case.ts';
import { openApiFile } from './documents.ts';
import { programOf } from './installed.ts';
import { runTool } from './run-tool.ts';

interface RedoclyReport {
  readonly totals: { readonly errors: number; readonly warnings: number };
  readonly problems: readonly {
    readonly ruleId: string;
    readonly message: string;
    readonly location: readonly { readonly pointer: string }[];
  }[];
}

type SpectralReport = readonly {
  readonly code: string;
  readonly message: string;
  readonly path: readonly string[];
}[];

/** Judges of OpenAPI documents, warnings and all. */
export const lintCases: readonly Case[] = [
  {
    peer: '@hyperjump/json-schema',
    name: 'finds openapi.json to be OpenAPI 3.1, by the schema of the specification',
    async run() {
      const document = JSON.parse(readFileSync(openApiFile, 'utf8'));
      const end = await validate('https://spec.openapis.org/oas/3.1/schema-base', document, BASIC);
      check(end.valid, JSON.stringify(end));
      return 'valid';
    },
  },
  {
    peer: '@redocly/cli',
    name: 'has nothing to say of openapi.json, by its rules `recommended-strict`',
    async run() {
      const program = programOf(import.meta.resolve('@redocly/cli/package.json'), 'redocly');
      const words = ['lint', openApiFile, '--extends', 'recommended-strict', '--format', 'json'];
      const { problems, totals }: RedoclyReport = JSON.parse(await lint(program, words));
      checkNone(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]));
      return `${totals.errors} errors, ${totals.warnings} warnings`;
    },
  },
  {
    peer: '@stoplight/spectral-cli',
    name: 'has nothing to say of openapi.json, by its rules `spectral:oas` but for `info-contact`',
    async run() {
      const program = programOf(import.meta.resolve('@stoplight/spectral-cli/package.json'), 'spectral');
      const ruleset = join(import.meta.dirname, 'spectral.json');
      const words = [
        'lint',
        openApiFile,
        '--ruleset',
        ruleset,
        '--fail-severity',
        'hint',
        '--format',
        'json',
      ];
      const output = await lint(program, words);
      // A sentence follows when there are none.
      const problems: SpectralReport = JSON.parse(output.slice(0, output.lastIndexOf(']') + 1));
      checkNone(problems.map(({ code, message, path }) => [code, message, path.join('.')]));
      return '0 errors, 0 warnings, 0 infos, 0 hints';
    },
  },
];

async function lint(program: string, words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runTool(program, words);
  // 1 tells of problems, which the output then holds.
  check(code <= 1, `exit code ${code}: ${stderr}`);
  return stdout;
}

function checkNone(problems: readonly (readonly [string, string, string | undefined])[]): void {
  const told = problems.map(([rule, message, place = '']) => `${rule}: ${message} (${place})`);
  check(told.length === 0, told.join('; '));
}
