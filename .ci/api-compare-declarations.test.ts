import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compareDeclarations } from './api-compare-declarations.ts';
import { extractReports } from './api-extract.ts';
import { readReport } from './api-reports.ts';

const declarations = `import type * as z from 'zod/mini';
/** What bounds a call. */
export interface SendOptions {
  /** @default 3 */
  readonly attempts?: number;
  readonly timeouts?: { readonly total?: number };
}
/** A client. @sealed */
export interface Client {
  send(body: string, options?: SendOptions): Sent;
}
interface Sent {
  readonly status: number;
}
export type Outcome = 'applied' | 'rejected';
export declare class SendError extends Error {
  readonly outcome: Outcome;
}
export declare function createClient(key: string): Client;
export declare function parse(text: string): number;
export declare function parse(text: string, radix: number): bigint;
declare const model: z.ZodMiniObject<{ cart: z.ZodMiniObject<{ items: z.ZodMiniOptional<z.ZodMiniString> }> }>;
export interface Update extends z.infer<typeof model> {}
export type Result = { readonly ok: true; readonly data: string } | { readonly ok: false };
export {};
`;

interface Row {
  readonly fact: string;
  readonly edit: readonly [from: string, to: string];
  readonly changes: readonly string[];
}

const rows: readonly Row[] = [
  {
    fact: 'another comment',
    edit: ['What bounds a call.', 'What bounds one call, in milliseconds.'],
    changes: [],
  },
  { fact: 'another default in a comment', edit: ['@default 3', '@default 5'], changes: [] },
  {
    fact: 'another name of a parameter',
    edit: ['createClient(key: string)', 'createClient(apiKey: string)'],
    changes: [],
  },
  {
    fact: 'a new export',
    edit: ['export type Outcome', 'export declare const version: string;\nexport type Outcome'],
    changes: ['added: version was added'],
  },
  {
    fact: 'a new optional option',
    edit: ['readonly attempts?: number;', 'readonly attempts?: number; readonly signal?: AbortSignal;'],
    changes: ['added: SendOptions.signal was added'],
  },
  {
    fact: 'a new optional option further down',
    edit: ['readonly total?: number', 'readonly total?: number; readonly connect?: number'],
    changes: ['added: SendOptions.timeouts.connect was added'],
  },
  {
    fact: 'a new optional parameter',
    edit: ['createClient(key: string)', 'createClient(key: string, options?: SendOptions)'],
    changes: ['added: a parameter of createClient was added'],
  },
  {
    fact: 'a new overload before the others',
    edit: [
      'export declare function parse(text: string): number;',
      'export declare function parse(text: null): null;\nexport declare function parse(text: string): number;',
    ],
    changes: ['breaking: the overloads of parse were changed'],
  },
  {
    fact: 'a new last overload',
    edit: [
      'radix: number): bigint;',
      'radix: number): bigint;\nexport declare function parse(text: null): null;',
    ],
    changes: ['added: an overload of parse was added'],
  },
  {
    fact: 'a new member of a class',
    edit: ['readonly outcome: Outcome;', 'readonly outcome: Outcome; readonly attempts: number;'],
    changes: ['added: SendError.attempts was added'],
  },
  {
    fact: 'a new member of a sealed interface',
    edit: ['export interface Client {', 'export interface Client {\n  close(): void;'],
    changes: ['added: Client.close was added'],
  },
  {
    fact: 'a new optional field of a zod model',
    edit: [
      'items: z.ZodMiniOptional<z.ZodMiniString>',
      'items: z.ZodMiniOptional<z.ZodMiniString>; note: z.ZodMiniOptional<z.ZodMiniString>',
    ],
    changes: ['added: model.cart.note was added'],
  },
  {
    fact: 'a new required field of a zod model',
    edit: [
      'items: z.ZodMiniOptional<z.ZodMiniString>',
      'items: z.ZodMiniOptional<z.ZodMiniString>; note: z.ZodMiniString',
    ],
    changes: ['breaking: model.cart.note was added and is required'],
  },
  {
    fact: 'an export that is gone',
    edit: ['export declare function createClient(key: string): Client;', ''],
    changes: ['breaking: createClient was removed'],
  },
  {
    fact: 'an export that is renamed',
    edit: ['export declare function createClient', 'export declare function makeClient'],
    changes: ['breaking: createClient was removed', 'added: makeClient was added'],
  },
  {
    fact: 'an option that is renamed',
    edit: ['readonly attempts?', 'readonly maxAttempts?'],
    changes: ['breaking: SendOptions.attempts was removed', 'added: SendOptions.maxAttempts was added'],
  },
  {
    fact: 'an option that becomes required',
    edit: ['readonly attempts?', 'readonly attempts'],
    changes: ['breaking: SendOptions.attempts was changed'],
  },
  {
    fact: 'a new required option',
    edit: ['readonly attempts?', 'readonly key: string; readonly attempts?'],
    changes: ['breaking: SendOptions.key was added and is required'],
  },
  {
    fact: 'a new required parameter',
    edit: ['createClient(key: string)', 'createClient(key: string, url: string)'],
    changes: ['breaking: the parameters of createClient were changed'],
  },
  {
    fact: 'another type of a parameter',
    edit: ['createClient(key: string)', 'createClient(key: URL)'],
    changes: ['breaking: createClient was changed'],
  },
  {
    fact: 'a type that is wider',
    edit: [`'applied' | 'rejected'`, `'applied' | 'rejected' | 'unknown'`],
    changes: ['breaking: Outcome was changed'],
  },
  {
    fact: 'an optional member where nothing is known of its users',
    edit: ['readonly data: string', 'readonly data: string; readonly status?: number'],
    changes: ['breaking: Result was changed'],
  },
  {
    fact: 'a change in a type that is not exported',
    edit: ['readonly status: number', 'readonly status: string'],
    changes: ['breaking: Sent.status was changed'],
  },
];

let reports: readonly string[];
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'api-fixtures-'));
  mkdirSync(join(folder, 'node_modules', 'zod'), { recursive: true });
  const zod =
    'export interface ZodMiniString { s: string } export interface ZodMiniOptional<T> { o: T } export interface ZodMiniObject<T> { t: T } export type infer<T> = T extends ZodMiniObject<infer S> ? S : never;';
  writeFileSync(join(folder, 'node_modules', 'zod', 'mini.d.ts'), zod);
  writeFileSync(
    join(folder, 'node_modules', 'zod', 'package.json'),
    '{ "name": "zod", "exports": { "./mini": "./mini.d.ts" } }',
  );
  writeFileSync(join(folder, 'package.json'), '{ "name": "fixture", "type": "module" }');
  const texts = [declarations, ...rows.map(({ edit: [from, to] }) => declarations.replace(from, to))];
  const entries = texts.map((text, index) => {
    const file = join(folder, `${index}.d.ts`);
    writeFileSync(file, text);
    return { folder, file };
  });
  reports = extractReports(join(import.meta.dirname, '..'), entries).map((report) => readReport(report).text);
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true }));

test.each(rows.map((row, index) => ({ ...row, index })))('$fact', ({ edit: [from], changes, index }) => {
  expect(declarations).toContain(from);
  const found = compareDeclarations(reports[0] ?? '', reports[index + 1] ?? '');
  expect(found.map(({ effect, what }) => `${effect}: ${what}`)).toEqual(changes);
});
