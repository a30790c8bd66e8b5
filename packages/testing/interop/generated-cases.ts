import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Case, check } from './case.ts';
import { openApiFile } from './documents.ts';
import { programOf } from './installed.ts';
import { runTool } from './run-tool.ts';

/** Git ignores it. */
const generated = join(import.meta.dirname, 'generated', 'openapi.ts');

/** Types made of our OpenAPI document; openapi-fetch then sends with them, as the other HTTP clients do. */
export const generatedCases: readonly Case[] = [
  {
    peer: 'openapi-typescript',
    name: 'makes types of openapi.json',
    async run() {
      mkdirSync(join(generated, '..'), { recursive: true });
      const program = programOf(import.meta.resolve('openapi-typescript/package.json'), 'openapi-typescript');
      const { code, stderr } = await runTool(program, [openApiFile, '--output', generated]);
      check(code === 0, stderr);
      return `${readFileSync(generated, 'utf8').split('\n').length} lines`;
    },
  },
  {
    peer: 'typescript',
    name: 'compiles a use of them, and refuses each mistake in it',
    async run() {
      const { code, stdout } = await runTool(
        programOf(import.meta.resolve('typescript/package.json'), 'tsc'),
        ['--project', 'tsconfig.json'],
      );
      check(code === 0, stdout);
      const usage = readFileSync(join(import.meta.dirname, 'generated-usage.ts'), 'utf8');
      return `${usage.match(/@ts-expect-error/g)?.length} mistakes refused; everything here compiles too`;
    },
  },
];
